import { readdirSync, readFileSync, statSync } from 'node:fs'
import { percentile } from './statistics.ts'

/** The daemon at one moment. */
export interface Sample {
  /** Seconds since the soak began. */
  readonly at: number
  readonly rssMiB: number
  readonly heapMiB: number
  readonly fds: number
  /** Database and write-ahead log. */
  readonly storeMiB: number
}

const heap = /^nodejs_heap_size_used_bytes (\S+)/m

export function sample(at: number, pid: number, exposition: string, store: string): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = [store, `${store}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return {
    at: Math.round(at),
    rssMiB: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024,
    heapMiB: Number(heap.exec(exposition)?.[1]) / 2 ** 20,
    fds: readdirSync(`/proc/${pid}/fd`).length,
    storeMiB: bytes.reduce((sum, size) => sum + size, 0) / 2 ** 20,
  }
}

interface Flatness {
  readonly name: string
  /** In the second quarter of the time, when everything is warm, and in the last one. */
  readonly early: number
  readonly late: number
  readonly flat: boolean
}

/**
 * How much more each may be in the end: a share, and beside it an amount that is only noise; and at what percentile. The
 * heap is a saw: only what lies below its teeth is kept.
 */
const rules = {
  rssMiB: { share: 0.1, amount: 4, percent: 50 },
  heapMiB: { share: 0.1, amount: 2, percent: 10 },
  fds: { share: 0, amount: 3, percent: 50 },
  storeMiB: { share: 0.1, amount: 0.5, percent: 50 },
} as const

export function flatness(samples: readonly Sample[]): readonly Flatness[] {
  const quarter = Math.floor(samples.length / 4)
  return Object.entries(rules).map(([name, { share, amount, percent }]) => {
    const of = (part: readonly Sample[]) =>
      percentile(
        part.map((one) => one[name as keyof typeof rules]),
        percent,
      )
    const early = of(samples.slice(quarter, 2 * quarter))
    const late = of(samples.slice(-quarter))
    return { name, early, late, flat: late <= early * (1 + share) + amount }
  })
}
