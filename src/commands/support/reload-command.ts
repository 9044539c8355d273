import { formatListen } from '../../config/listen.ts'
import type { Settings } from '../../config/settings.ts'
import { isLoopback } from '../../model/process/loopback.ts'
import { lockStateOf } from '../../store/db/sqlite/engine-lock.ts'

/** The command that makes a running engine read its configuration again; null while none is running. */
export function reloadCommand({ store, server }: Pick<Settings, 'store' | 'server'>): string | null {
  if (store.path !== null && lockStateOf(store.path).held === false) return null
  // A request works only without users and TLS. It is preferred: a signal would end a `sync` that holds the lock.
  const answers = server.webConfig === null && isLoopback(server.host) && server.port !== 0
  return answers ? `curl -X POST http://${formatListen(server)}/-/reload` : 'kill -HUP PID'
}
