/** A whole number as people read it: 1,234,567. The language tables behind `Intl` would stay in memory for it. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
