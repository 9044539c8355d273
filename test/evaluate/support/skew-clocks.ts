import type { SyncState } from '../../../src/store/port.ts'

/** Puts the server's clock ahead of the local one by so many milliseconds, as all resources of a mirror show it. */
export function skewClocks(
  { quality }: { readonly quality: Readonly<Record<string, { state: SyncState }>> },
  ms: number,
) {
  for (const one of Object.values(quality)) {
    one.state = { ...one.state, serverTime: (one.state.serverTimeAt ?? 0) + ms }
  }
}
