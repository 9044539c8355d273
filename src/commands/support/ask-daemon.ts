import type { Settings } from '../../config/settings.ts'
import { formatListen } from '../../config/values.ts'
import { loadWebSettings } from '../../config/web-settings.ts'
import { FatalError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import type { EndedSync, SyncRequest } from '../../web/web-options.ts'

/**
 * Has the daemon at `server.listen` sync, and waits for the runs; null if none listens there.
 *
 * @throws FatalError when it refuses, or ends before the runs.
 */
export async function askDaemon(
  { server }: Settings,
  asked: SyncRequest,
  { cwd, stop }: Io,
): Promise<readonly EndedSync[] | null> {
  const { port, webConfig } = server
  const scheme = webConfig !== null && loadWebSettings(webConfig, cwd).tls !== null ? 'https' : 'http'
  const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]', '::': '[::1]' }
  const url = new URL(`${scheme}://${formatListen({ host: wildcards[server.host] ?? server.host, port })}/-/sync`)
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) url.searchParams.set(name, value)
  const response = await fetch(url, { method: 'POST', redirect: 'error', signal: stop }).catch(() => null)
  if (response === null) return null
  const answer = await response.text().catch(() => '')
  if (response.ok && answer.trim() !== '') return JSON.parse(answer) as readonly EndedSync[]
  const why = response.ok ? 'it ended before the runs' : `${response.status} ${printable(answer.trim(), 500)}`
  const hint = response.status === 401 ? `; ask it yourself: curl -u USER -X POST ${url}` : ''
  throw new FatalError(`The running daemon at ${url.origin} did not sync: ${why}${hint}`)
}
