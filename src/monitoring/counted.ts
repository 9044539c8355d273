/** The value of an alert as a whole number; a template would print a million as `1e+06`. */
export const valueCount = '{{ printf "%.0f" $value }}'

/** The value of an alert before one of two clauses. */
export function counted({ one, other }: { readonly one: string; readonly other: string }): string {
  return `${valueCount} {{ if eq $value 1.0 }}${one}{{ else }}${other}{{ end }}`
}
