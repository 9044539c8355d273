/** Days from now to a time in seconds since the epoch: templates cannot compute, so the value of an alert is in days. */
export function daysUntil(time: string): string {
  return `(${time} - time()) / 86400`
}

/** `within a day`, `in 2.9 days`, `in 19 days`: the value of an alert, in days, rounded down as the commands do. */
export const inDays =
  '{{ if lt $value 1.0 }}within a day{{ else if lt $value 10.0 }}in {{ printf "%f" $value | reReplaceAll "[0-9]{5}$" "" }} days{{ else }}in {{ printf "%f" $value | reReplaceAll "[.][0-9]+$" "" }} days{{ end }}'
