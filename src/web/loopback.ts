import { isIPv4, isIPv6 } from 'node:net'

/**
 * True when only this machine can reach a listen address. Stricter than what a URL may name: a resolver may lead a name
 * under `localhost` elsewhere, and the page would be open there.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/**
 * True when a Host header is an IP address, `localhost` or one of `allowed`, whatever the port, the letter case and a dot
 * at the end. A page of another site can make a browser send requests to any address under a name of its own (DNS
 * rebinding); an IP address cannot be rebound.
 *
 * @param allowed names in lower case, without port and without a dot at the end.
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
