import { isObject } from '../json.ts'

const maxDepth = 64
const maxMembers = 100_000

/** Replaces a value of more than 64 levels or 100,000 members: serializing it overflows the stack or the memory. */
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

/** A longer text is content rather than a value. */
const longestText = 256

/** Longer field names, which come from the tenant, are withheld. */
const longestName = 100

/** Text fields of the specification, nested as in the record; they contain no secrets. */
export interface DescribedTexts {
  readonly [field: string]: true | DescribedTexts
}

function withoutSecrets(value: unknown): unknown {
  return storable(boundDepth(value))
}

export function rawWithoutSecrets(raw: unknown, described: DescribedTexts): unknown {
  return storable(boundDepth(raw), described)
}

export function storableName(name: string): string {
  const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)
  return harmless ? name : `[withheld: name of ${name.length} characters]`
}

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

export function freeName(kept: object, name: string): string {
  let free = name
  for (let n = 2; Object.hasOwn(kept, free); n++) free = `${name} ${n}`
  return free
}

const longestDescribed = 1024

function describedText(value: unknown): unknown {
  return typeof value === 'string' && value.length <= longestDescribed ? value : storable(value)
}

function withheld(value: unknown): unknown {
  if (typeof value === 'string') return `[withheld: string of ${value.length} characters]`
  if (typeof value === 'number') return `[withheld: number of ${String(value).length} characters]`
  if (Array.isArray(value)) return `[withheld: array of ${value.length} elements]`
  return isObject(value) ? `[withheld: object of ${Object.keys(value).length} fields]` : value
}

/** Words that state the encoding of the thing named before them, as in `contentBase64`. */
const encoding = /^(base|b|hex|encoded|encrypted|hash|hashed|pem|plain|value|string)$/

/** Names of secrets, also at the end of a longer word, as in `apikey`. */
const secrets =
  'secret|password|passwd|passphrase|pwd|token|jwt|key|credential|content|url|uri|link|href|signature|cookie|authorization'

/** Names of secrets and contents as whole words, because `profile`, `context` and `metadata` are harmless. */
const whole =
  'auth|bearer|blob|body|bodies|byte|cert|certificate|data|embedding|excerpt|file|hash|hashes|hint|html|markdown|otp|pass|pem|phrase|pin|preview|raw|seed|snippet|text|totp|transcript'

const secretWord = new RegExp(`(${secrets})s?$|^(${whole})s?$`)

/** Endings of a name after its separators were removed. */
const secretWords =
  /base64$|b64$|connectionstrings?$|(session|sess)ids?$|(access|activation|auth|authorization|backup|confirmation|device|invitation|invite|login|mfa|pairing|pass|recovery|reset|security|sms|verification)codes?$/

const mayNameSecret = new RegExp(`${secrets}|${whole}|64|sess|code|connection`, 'i')

/** The last word decides: true for `clientSecret` and `contentBase64`, false for `passwordPolicy` and `hotPath`. */
function namesSecret(name: string): boolean {
  if (!mayNameSecret.test(name)) return false
  if (secretWords.test(name.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, ''))) return true
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

/** A GUID that stands alone: not a part of a longer code. */
const guids = /(?<![\w+=-])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w+=-])/gi
const runOfCode = /[\w+/=-]{32}/
const jwt = /eyJ[\w-]{4,}\.[\w-]+\.[\w-]*/
const pem = /-----BEGIN /
const query = /[a-z][a-z0-9+.-]*:\/\/\S*[?#@]|\?[^\s=]+=/i

/** A secret by its name, as in `client_secret=…` and `Password: …`, but not a scope such as `token:read`. */
const named =
  /(secret|password|passwd|passphrase|pwd|token|jwt|key|credential|signature|cookie|authorization|session[ _-]?id|(?<![a-z])(otp|totp|pass|pin))s?["']?\s*(=|:\s|:["'])\s*\S/i

const oneWord = /^[\w-]*$/

function hasSecretLook(text: string): boolean {
  if (text.length > longestText) return true
  if (text.length < 32 && oneWord.test(text)) return false
  if (jwt.test(text) || pem.test(text) || query.test(text) || named.test(text)) return true
  return text.length >= 32 && runOfCode.test(text.replaceAll(guids, ' '))
}
