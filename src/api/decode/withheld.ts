import { isObject } from './is-object.ts'

const maxDepth = 64
const maxMembers = 100_000

/**
 * The value itself, or a short note in its place when it is nested more than 64 levels deep or holds more than 100,000
 * members: parsing such a value works, while serialising it overflows the stack or the memory.
 */
function boundDepth(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  let level: object[] = [value]
  let members = 0
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `[nested more than ${maxDepth} levels deep]`
    const next: object[] = []
    for (const parent of level) {
      const children: readonly unknown[] = Object.values(parent)
      members += children.length
      if (members > maxMembers) return `[more than ${maxMembers} members]`
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return value
}

/** A text longer than this is content rather than a value. */
const longestText = 256

/** Field names come from the wire; longer ones are withheld. */
const longestName = 100

/** The text fields that the specification describes, at their places; what they hold is no secret of its own. */
export interface DescribedTexts {
  readonly [field: string]: true | DescribedTexts
}

/**
 * What may be stored and shown of a value under a field that nobody described: the value, without what looks like a
 * secret or like content. Of that only type and length are left, at any depth. The keys of objects come in order, as JSON
 * gives their order no meaning.
 */
export function withoutSecrets(value: unknown): unknown {
  return storable(boundDepth(value))
}

/** The same for a record that cannot be read: its described fields keep their texts. */
export function rawWithoutSecrets(raw: unknown, described: DescribedTexts): unknown {
  return storable(boundDepth(raw), described)
}

/** What may be stored and shown of the name of a field that nobody described. */
export function storableName(name: string): string {
  const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)
  return harmless ? name : `[withheld: name of ${name.length} characters]`
}

/** The value itself under its name, or its type and length where the name is that of a secret. */
export function storableField(name: string, value: unknown): unknown {
  return namesSecret(name) ? withheld(value) : withoutSecrets(value)
}

function storable(value: unknown, described?: DescribedTexts): unknown {
  if (typeof value === 'string') return hasSecretLook(value) ? withheld(value) : value
  if (Array.isArray(value)) return value.map((one) => storable(one, described))
  return isObject(value) ? storableObject(value, described) : value
}

function storableObject(value: Readonly<Record<string, unknown>>, described: DescribedTexts = {}): object {
  // A null prototype keeps `__proto__` an ordinary key.
  const kept = Object.create(null) as Record<string, unknown>
  for (const name of Object.keys(value).sort()) {
    const one = value[name]
    const known = Object.hasOwn(described, name) ? described[name] : undefined
    if (known === undefined)
      kept[freeName(kept, storableName(name))] = namesSecret(name) ? withheld(one) : storable(one)
    else kept[name] = known === true ? describedText(one) : storable(one, known)
  }
  return kept
}

/** Several names may be withheld in one object. */
export function freeName(kept: object, name: string): string {
  let free = name
  for (let n = 2; Object.hasOwn(kept, free); n++) free = `${name} ${n}`
  return free
}

const longestDescribed = 1024

function describedText(value: unknown): unknown {
  return typeof value === 'string' && value.length <= longestDescribed ? value : storable(value)
}

/** Null and a boolean hide nothing. */
function withheld(value: unknown): unknown {
  if (typeof value === 'string') return `[withheld: string of ${value.length} characters]`
  if (typeof value === 'number') return `[withheld: number of ${String(value).length} characters]`
  if (Array.isArray(value)) return `[withheld: array of ${value.length} elements]`
  return isObject(value) ? `[withheld: object of ${Object.keys(value).length} fields]` : value
}

/** Words that say how the thing named before them is written. */
const encoding = /^(base|b|hex|encoded|encrypted|hash|hashed|pem|raw|plain|text|value|string|data|bytes)$/
const secretWord =
  /(secret|password|passwd|passphrase|pwd|token|jwt|key|credential|content|url|uri|signature|cookie|authorization)s?$/

const mayNameSecret = /secret|pass|pwd|token|jwt|key|credential|content|ur[il]|signature|cookie|authorization/i

/**
 * True when the last word of the name is that of a secret, of content or of an address: `clientSecret`, `access_token`,
 * `contentBase64`, but neither `passwordPolicy` nor `hotPath`.
 */
function namesSecret(name: string): boolean {
  if (!mayNameSecret.test(name)) return false
  const words = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
  let last = words.pop() ?? ''
  while (encoding.test(last) && !secretWord.test(last) && words.length > 0) last = words.pop() ?? ''
  return secretWord.test(last)
}

const guids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const runOfCode = /[\w+/=-]{32}/
const jwt = /eyJ[\w-]{4,}\.[\w-]+\.[\w-]*/
const pem = /-----BEGIN /
/** An address with a user, a query or a fragment, in which a secret may travel; also a query alone. */
const query = /[a-z][a-z0-9+.-]*:\/\/\S*[?#@]|\?[^\s=]+=/i

const oneWord = /^[\w-]*$/

/** True for a text that may be a secret or content. */
function hasSecretLook(text: string): boolean {
  if (text.length > longestText) return true
  // Nothing of the kind is a single short word.
  if (text.length < 32 && oneWord.test(text)) return false
  if (jwt.test(text) || pem.test(text) || query.test(text)) return true
  return text.length >= 32 && runOfCode.test(text.replaceAll(guids, ' '))
}
