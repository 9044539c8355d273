import { isIPv4 } from 'node:net'

/**
 * True for `localhost`, 127.0.0.0/8 and ::1. Names under `localhost` do not count: a resolver may map them to another
 * address, to which a token would be sent in plain text, or where others could open the page.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port',
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'no interface of this machine has the address',
}

export function whyNotListening({ code = '', message }: NodeJS.ErrnoException): string {
  return reasons[code] ?? message
}
