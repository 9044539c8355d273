import * as z from 'zod'
import { type Read, textAs } from './yaml/leaves.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const wanted =
  'expected host:port such as 127.0.0.1:9469, [::1]:9469 or :9469 (all interfaces), or a port alone (loopback)'

/** An address to listen on; a port alone (text or number) means the loopback interface. */
export function listen(): z.ZodType<ListenAddress> {
  return z.preprocess((value) => (Number.isInteger(value) ? String(value) : value), textAs(wanted, readListen))
}

export function formatListen({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function readListen(text: string): Read<ListenAddress> {
  const [, bracketed, plain, digits] = /^(?:(?:\[([\da-f:.]+(?:%\w+)?)\]|([\w.-]*)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return { problem: wanted }
  if (bracketed !== undefined && !URL.canParse(`http://[${bracketed.replace(/%.*/, '')}]/`)) return { problem: wanted }
  return { value: { host: bracketed ?? (plain === '' ? '0.0.0.0' : (plain ?? '127.0.0.1')), port } }
}
