import { isObject } from '../decode/is-object.ts'
import { parseJson } from './parse-json.ts'

export interface ErrorFacts {
  readonly code: string | null
  readonly requestId: string | null
  readonly timestamp: unknown
  /** True for an envelope whose `error` is not null, as the API's own errors are. */
  readonly enveloped: boolean
}

/** Alone or at the start of a text such as `NOT_FOUND: User not found`. */
const codeLike = /^([A-Z][A-Z_]{2,39})(?=$|: )/
const guidLike = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const maxNodes = 200

export function asGuid(value: unknown): string | null {
  return typeof value === 'string' && guidLike.test(value) ? value : null
}

const longestId = 200

/** The request id of a success; withheld when it is longer than 200 characters or looks like a token. */
export function asRequestId(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  if (guidLike.test(text)) return text
  if (text.length > longestId || /eyJ[\w-]+\./.test(text)) return `[withheld: string of ${text.length} characters]`
  const kept = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  return kept === '' ? null : kept
}

export function readErrorFacts(bytes: Buffer | null): ErrorFacts {
  const body = bytes === null ? undefined : parseJson(bytes.toString())
  // Proxies and frameworks may send an `error` too, but no `meta`.
  const enveloped =
    isObject(body) && (body['error'] ?? null) !== null && isObject(body['meta']) && (body['data'] ?? null) === null
  let code = typeof body === 'string' ? codeIn(body) : null
  let requestId: string | null = null
  const queue: unknown[] = [body]
  for (let index = 0; index < queue.length && index < maxNodes; index++) {
    const node = queue[index]
    if (typeof node !== 'object' || node === null) continue
    for (const [key, value] of Object.entries(node).slice(0, maxNodes)) {
      if (typeof value === 'object') queue.push(value)
      else if (typeof value !== 'string') continue
      else if (key === 'code' || key === 'error') code ??= codeIn(value)
      else if (key === 'requestId') requestId ??= asGuid(value)
    }
  }
  const meta = isObject(body) ? body['meta'] : undefined
  return { code, requestId, timestamp: isObject(meta) ? meta['timestamp'] : undefined, enveloped }
}

function codeIn(text: string): string | null {
  return codeLike.exec(text)?.[1] ?? null
}
