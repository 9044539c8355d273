import { UsageError } from '../../model/errors.ts'
import { isLoopback } from '../../model/process/address.ts'

export interface Target {
  readonly origin: string
  readonly prefix: string
}

/** Throws UsageError unless the address is `https`, or `http` to a loopback host or with `allowInsecureHttp`. */
export function parseTarget(text: string, setting: string, allowInsecureHttp: boolean): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new UsageError(`${setting} is not a URL`)
  if (url.username !== '' || url.password !== '') throw new UsageError(`${setting} must not carry credentials`)
  if (url.search !== '' || url.hash !== '') throw new UsageError(`${setting} must not carry a query or a fragment`)
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw new UsageError(`${setting} uses http for a host other than this machine: use https, or set allowInsecureHttp`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new UsageError(`${setting} must begin with https://`)
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

export function parseTokenUrl(
  text: string,
  allowInsecureHttp: boolean,
): { readonly origin: string; readonly path: string } {
  const name = 'auth.token.oauth2.tokenUrl'
  if (!URL.canParse(text)) throw new UsageError(`${name} is not a URL`)
  const url = new URL(text)
  const path = `${url.pathname}${url.search}`
  url.search = ''
  return { origin: parseTarget(url.href, name, allowInsecureHttp).origin, path }
}
