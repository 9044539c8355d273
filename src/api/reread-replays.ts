import { secondMs } from '../model/durations.ts'
import { RecentReplay } from './answer-times.ts'
import type { TenantObserver, TenantReader } from './reader.ts'

/** Pauses before repeated reads, in milliseconds: enough for caches that keep answers for less than their sum. */
const pausesMs = [1, 2, 4].map((seconds) => seconds * secondMs)

/** Reads a page again if its answer is a replay of a recent one (docs/sync.md#10-time-of-an-answer). */
export function rereadReplays(
  reader: TenantReader,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
  observer: TenantObserver | undefined,
): TenantReader {
  return {
    ...reader,
    async fetch(resource, query, signal) {
      for (const ms of pausesMs) {
        try {
          return await reader.fetch(resource, query, signal)
        } catch (error) {
          if (!(error instanceof RecentReplay)) throw error
          observer?.retry(error.reason)
          await sleep(ms, signal)
        }
      }
      return reader.fetch(resource, query, signal)
    },
  }
}
