/**
 * True when only this machine can reach a listen address. Stricter than what a URL may name: a resolver may lead a name
 * under `localhost` elsewhere, and the page would be open there.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/**
 * True when a Host header names this machine, whatever the port. A page of another site can make a browser send
 * requests to a loopback address under its own name (DNS rebinding); such a name is none of these.
 */
export function namesLoopback(hostHeader: string | undefined): boolean {
  if (hostHeader === undefined) return false
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(hostHeader)
}

/** Whether details are served (contract: `exposeDetails: auto`): on loopback or behind authentication. */
export function exposesDetails(setting: boolean | 'auto', host: string, authenticated: boolean): boolean {
  return setting === 'auto' ? isLoopback(host) || authenticated : setting
}
