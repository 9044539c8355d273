/** Days from now to a time in seconds since the epoch: templates cannot compute, so the value of an alert is in days. */
export function daysUntil(time: string): string {
  return `(${time} - time()) / 86400`
}

/** `within a day`, `in 2.9 days`, `in 20 days`: the value of an alert, in days. */
export const inDays =
  '{{ if lt $value 1.0 }}within a day{{ else if lt $value 10.0 }}in {{ printf "%.1f" $value }} days{{ else }}in {{ printf "%.0f" $value }} days{{ end }}'
