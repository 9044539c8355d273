import type { Socket } from 'node:net'

/** A request as the routes see it. No route takes a body. */
export interface WebRequest {
  readonly method: string
  /** Without escapes; one with escapes that are none stays as it came. */
  readonly path: string
  /** By its Host header (empty where HTTP/1.0 has none) and, where its target is a whole URL, by that (RFC 9112, 3.2.2). */
  readonly hosts: readonly string[]
  /** The first value of each parameter. */
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name; several of one name with commas between them. */
  readonly header: (name: string) => string | undefined
  /** What it came on; absent where nothing listens. */
  readonly socket?: Socket
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A whole text, or pieces that are made while their reader takes them. */
  readonly body: string | readonly Uint8Array[] | AsyncIterable<string>
}

type Headers = Answer['headers']

/** A 200 of this content type. */
export function ofType(type: string, body: Answer['body'], headers: Headers = {}): Answer {
  return { status: 200, headers: { 'Content-Type': type, ...headers }, body }
}

/** Plain text. */
export function text(status: number, body: string, headers: Headers = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=UTF-8', ...headers }, body }
}

/** A value as JSON, whole. */
export function json(body: unknown, status = 200, headers: Headers = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
