/** A text with its escapes resolved. `starts` has the place of each byte in the original, and of the end. */
export interface Resolved {
  readonly bytes: Buffer
  readonly starts: Uint32Array
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  bsol: '\\',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  sol: '/',
}

/** Visible ASCII by its hexadecimal number, or as itself after a backslash. */
export const jsonEscapes = /\\u00([2-7][\da-f])|\\(["\\/])/gi

/** Also those of JavaScript, addresses and HTML, where the number may be decimal or a name. */
export const allEscapes =
  /(?:\\u00|\\x|%)([2-7][\da-f])|\\(["'\\/])|&#x0{0,6}([2-7][\da-f]);|&#0{0,6}(3[2-9]|[4-9]\d|1[01]\d|12[0-6]);|&(amp|apos|bsol|equals|gt|lowbar|lt|num|percnt|period|plus|quot|sol);/gi

function characterOf([, hex, itself, entityHex, decimal, name = '']: readonly (string | undefined)[]): string {
  if (itself !== undefined) return itself
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  const number = hex ?? entityHex
  return number === undefined ? (entities[name.toLowerCase()] ?? '') : String.fromCharCode(Number.parseInt(number, 16))
}

/** Resolves at most so many layers of escapes, one within the other; in linear time. */
export function resolveEscapes(body: Buffer, escapes: RegExp, maxLayers: number): Resolved {
  const starts = new Uint32Array(body.length + 1)
  for (let at = 0; at <= body.length; at++) starts[at] = at
  let resolved: Resolved = { bytes: Buffer.from(body), starts }
  for (let layer = 0; layer < maxLayers; layer++) {
    const next = resolveLayer(resolved, escapes)
    if (next.bytes.length === resolved.bytes.length) break
    resolved = next
  }
  return resolved
}

/** In place, for a character is shorter than its escape. */
function resolveLayer({ bytes, starts }: Resolved, escapes: RegExp): Resolved {
  let from = 0
  let to = 0
  const keepUntil = (end: number) => {
    bytes.copyWithin(to, from, end)
    starts.copyWithin(to, from, end)
    to += end - from
    from = end
  }
  for (const match of bytes.toString('latin1').matchAll(escapes)) {
    keepUntil(match.index)
    bytes[to] = characterOf(match).charCodeAt(0)
    starts[to] = starts[from] ?? 0
    to += 1
    from += match[0].length
  }
  keepUntil(bytes.length)
  starts[to] = starts[bytes.length] ?? 0
  return { bytes: bytes.subarray(0, to), starts: starts.subarray(0, to + 1) }
}

const escapedWord =
  /(?:\\u00|\\x|%(?:25){0,4}|&#x0{0,6})(?:3\d|[46][1-9a-f]|[57][\da])|&#0{0,6}(?:4[89]|5[0-7]|6[5-9]|[78]\d|9[07-9]|1[01]\d|12[0-2]);/i

/** True when a letter or digit may be escaped, as hardly any server does. */
export function hasEscapedWord(body: Buffer): boolean {
  const mayHave = body.includes('\\u00') || body.includes('%') || body.includes('&#')
  return mayHave && escapedWord.test(body.toString('latin1'))
}
