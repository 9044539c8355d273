import type { Call, Injection } from './traced.ts'

/** `all` takes every point where a test samples. */
const everyPoint = process.env['TENANTWATCH_DISK_POINTS'] === 'all'
const workers = 2

/** Every so manieth call of each kind, from a different start for each effect. */
export function pointsOf(
  counts: Readonly<Record<Call, number>>,
  effect: Injection['effect'],
  steps: Readonly<Record<Call, number>>,
): Injection[] {
  const calls: readonly Call[] = ['pwrite64', 'fsync']
  return calls.flatMap((call) => {
    const stride = everyPoint ? 1 : steps[call]
    const first = effect === 'EIO' ? 1 + Math.floor(stride / 2) : 1
    const points: Injection[] = []
    for (let when = first; when <= counts[call]; when += stride) points.push({ call, when, effect })
    return points
  })
}

/** Does the work for every item, a few side by side, and collects what went wrong with which. */
export async function problemsOf<T>(items: readonly T[], work: (item: T) => Promise<readonly string[]>) {
  const problems: string[] = []
  const left = items.toReversed()
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      const at = JSON.stringify(item)
      try {
        problems.push(...(await work(item)).map((problem) => `${at}: ${problem}`))
      } catch (error) {
        problems.push(`${at}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return problems
}
