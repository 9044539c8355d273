import type { IncomingMessage } from 'node:http'
import type { WebRequest } from './answer.ts'

/** A Host header: a name or an address, and an optional port (RFC 9110, 7.2). */
const host = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Reads a request; null when its target or its Host header is invalid. */
export function readRequest(incoming: IncomingMessage): WebRequest | null {
  const { method = '', url = '', headersDistinct, httpVersion, socket } = incoming
  const hosts = headersDistinct['host'] ?? (httpVersion === '1.0' ? [''] : [])
  const [named = '', ...others] = hosts
  if (hosts.length === 0 || others.length > 0 || (named !== '' && !host.test(named))) return null
  if (named === '' && httpVersion !== '1.0') return null
  if (/^[^?]*\\/.test(url)) return null
  // A server must accept an absolute URL as target, too (RFC 9112, 3.2.2).
  const isWhole = /^https?:\/\//i.test(url)
  const target = isWhole ? url : `http://localhost${url}`
  if (!(isWhole || url.startsWith('/')) || !URL.canParse(target)) return null
  const { host: targeted, pathname, searchParams } = new URL(target)
  return {
    method,
    path: decoded(pathname),
    hosts: isWhole ? [named, targeted] : [named],
    query: firstOfEach(searchParams),
    header: (name) => headersDistinct[name]?.join(', '),
    socket,
  }
}

/** In one pass: an unauthenticated request may have thousands of parameters. */
function firstOfEach(parameters: URLSearchParams): WebRequest['query'] {
  const first = new Map<string, string>()
  for (const [name, value] of parameters) if (!first.has(name)) first.set(name, value)
  return Object.fromEntries(first)
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
