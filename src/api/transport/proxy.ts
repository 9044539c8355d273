import { SyncError } from '../../model/errors.ts'
import { isLoopback } from '../../model/process/address.ts'
import type { SecretSource } from '../credentials/secret.ts'
import type { EnvLookup } from '../options.ts'

/** The URL of the proxy for requests to an origin; null = none. */
export type ProxyFor = (origin: string) => Promise<string | null>

const wanted = 'a URL that begins with http:// or https://'

/** `api.proxy` if it is set, else the proxy of the environment. */
export function proxyFor(proxy: string | SecretSource | null, env: EnvLookup): ProxyFor {
  if (proxy === null) return async (origin) => environmentProxy(origin, env)
  if (typeof proxy === 'string') return async () => proxy
  return async () => {
    const url = (await proxy.current()).expose()
    if (!isProxy(url)) throw new SyncError('client_error', `The proxy that api.proxy names is not ${wanted}`)
    return url
  }
}

/** As curl reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, of which the lower-case names come first. */
export function environmentProxy(origin: string, env: EnvLookup): string | null {
  const { protocol, hostname, port } = new URL(origin)
  const read = (name: string) => env(name.toLowerCase()) || env(name) || ''
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === '' || isLoopback(hostname)) return null
  const usedPort = port || (protocol === 'https:' ? '443' : '80')
  const isExcepted = read('NO_PROXY')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only = usedPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      const isName = entry === '*' || hostname === name || hostname.endsWith(`.${name}`)
      return isName && only === usedPort
    })
  if (isExcepted) return null
  const url = proxy.includes('://') ? proxy : `http://${proxy}`
  if (!isProxy(url)) throw new SyncError('client_error', `HTTPS_PROXY or HTTP_PROXY is not ${wanted}`)
  return url
}

function isProxy(url: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')
}

export const proxyCredentialsHint =
  'The proxy asks for credentials: put user and password into its URL, as api.proxy: { file: PATH } or HTTPS_PROXY'

const hints: Readonly<Record<number, string>> = {
  403: 'The proxy does not let requests to this host pass: have it allowed, or set NO_PROXY',
  407: proxyCredentialsHint,
}

/** The refusal of a tunnel, of which undici states the status in the message only; null for another error. */
export function tunnelRefusal(thrown: unknown, what: string): SyncError | null {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(thrown instanceof Error ? thrown.message : '') ?? []
  if (status === undefined) return null
  const reason = Number(status) >= 500 ? 'network' : 'client_error'
  return new SyncError(reason, `${what} failed: the proxy answered ${status}`, {
    hint: hints[Number(status)] ?? 'Check the proxy that requests go through, and that it reaches the host',
  })
}
