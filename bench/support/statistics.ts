/** The middle of some numbers; NaN of none. */
export function median(numbers: readonly number[]): number {
  return percentile(numbers, 50)
}

/** The number below or at which `percent` of all lie, interpolated between the two nearest; NaN of none. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = Float64Array.from(numbers).sort()
  const at = ((sorted.length - 1) * percent) / 100
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? low
  return low + (high - low) * (at - Math.floor(at))
}
