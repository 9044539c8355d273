import type { SyncState } from '../../../src/mirror/port.ts'

/** Puts the server's clock ahead of the local one by so many milliseconds, as all resources of a mirror show it. */
export function skewClocks({ trust }: { readonly trust: Readonly<Record<string, { state: SyncState }>> }, ms: number) {
  for (const one of Object.values(trust)) {
    one.state = { ...one.state, serverTime: (one.state.serverTimeAt ?? 0) + ms }
  }
}
