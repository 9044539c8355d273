import { isIPv4, isIPv6 } from 'node:net'

/**
 * True when only this machine can reach a listen address. Names under `localhost` do not count: a resolver may map them
 * to another address, on which the page would be open.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/**
 * True when a Host header is an IP address, `localhost` or one of `allowed`, ignoring port, letter case and a trailing
 * dot. Another site can point a host name of its own at this address (DNS rebinding), but not an IP address.
 *
 * @param allowed names in lower case, without port and trailing dot.
 */
export function isAllowedHost(hostHeader: string, allowed: readonly string[]): boolean {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d{1,5})?$/.exec(hostHeader) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed)
  const name = plain.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || isIPv4(name) || allowed.includes(name)
}

/** Whether details are served (docs/operations.md#security): on loopback or behind authentication. */
export function exposesDetails(setting: boolean | 'auto', host: string, authenticated: boolean): boolean {
  return setting === 'auto' ? isLoopback(host) || authenticated : setting
}
