import { blocks, type Escapes, resolveEscapes, type Steps } from './escapes.ts'

/** Escapes of the answer itself, and of texts nested in it. */
const maxLayers = 6

export const layersOf = (escapes: Escapes) => (escapes === 'json' ? 1 : maxLayers)

/** The body without escapes; with `all`, base64url becomes base64. */
export function* resolved(body: Buffer, escapes: Escapes): Steps<Buffer> {
  const bytes = yield* resolveEscapes(body, escapes, layersOf(escapes))
  if (escapes === 'json') return bytes
  for (const [from, end] of blocks(bytes.length)) {
    toOneAlphabet(bytes.subarray(from, end))
    yield end - from
  }
  return bytes
}

const [minus, plus, slash, underscore] = Buffer.from('-+/_')

function toOneAlphabet(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === minus) bytes[at] = plus ?? 0
    else if (bytes[at] === underscore) bytes[at] = slash ?? 0
  }
}

/** A secret in the form that `resolved` returns with `all`, without padding. */
export function normalOf(text: string): Buffer {
  const steps = resolved(Buffer.from(text, 'latin1'), 'all')
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return Buffer.from(step.value.toString('latin1').replace(/={1,2}$/, ''), 'latin1')
}
