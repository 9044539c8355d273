import { type LifeOptions, live } from './lives.ts'

/** The seeds that a process runs on behalf of another one. */
export interface Share {
  readonly seeds: readonly number[]
  readonly options: LifeOptions
}

const { seeds, options } = JSON.parse(process.argv[2] ?? '') as Share
for await (const report of live(seeds, options)) process.send?.(report)
if (process.connected) process.disconnect?.()
