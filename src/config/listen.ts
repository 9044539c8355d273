import * as z from 'zod'
import { textThat } from './leaves.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const wanted = 'host:port such as 127.0.0.1:9469, [::1]:9469 or :9469 (all interfaces), or a port alone (loopback)'

/** An address to listen on; a port alone (text or number) means the loopback interface. */
export function listen() {
  const address = textThat(wanted, (text) => (readListen(text) === null ? `expected ${wanted}` : null))
  return z.union([address, z.int().min(0).max(65_535)]).transform(String)
}

export function formatListen({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Null for a text that is no address. */
export function readListen(text: string): ListenAddress | null {
  const [, bracketed, plain, digits] = /^(?:(?:\[([\da-f:.]+(?:%\w+)?)\]|([\w.-]*)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return null
  if (bracketed !== undefined && !URL.canParse(`http://[${bracketed.replace(/%.*/, '')}]/`)) return null
  return { host: bracketed ?? (plain === '' ? '0.0.0.0' : (plain ?? '127.0.0.1')), port }
}
