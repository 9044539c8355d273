import { isObject } from '../../model/text/json.ts'

const maxDepth = 64
/** A longer text is content rather than a value. */
const longestText = 256

/** Longer field names, which come from the tenant, are withheld. */
const longestName = 100

export function storableName(name: string): string {
  const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)
  return harmless ? name : `[withheld: name of ${name.length} characters]`
}

export function storableField(name: string, value: unknown, depth = 1): unknown {
  return namesSecret(name) ? withheld(value) : storable(value, depth)
}

/** The value without what may be a secret or content, at any depth. */
export function storable(value: unknown, depth = 1): unknown {
  if (typeof value === 'string') return hasSecretLook(value) ? withheld(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return `[nested more than ${maxDepth} levels deep]`
  if (Array.isArray(value)) return value.map((one) => storable(one, depth + 1))
  // A null prototype keeps `__proto__` an ordinary key.
  const kept = Object.create(null) as Record<string, unknown>
  for (const [name, one] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    kept[storableName(name)] = storableField(name, one, depth + 1)
  return kept
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
  'auth|bearer|blob|body|bodies|byte|cert|certificate|data|embedding|excerpt|file|hash|hashes|hint|html|keytab|markdown|otp|pass|passwort|pem|pepper|pfx|phrase|pin|preview|pw|raw|salt|sas|seed|session|snippet|text|totp|transcript'

const secretWord = new RegExp(`(${secrets})s?$|^(${whole})s?$`)

/** Endings of a name after its separators were removed. */
const secretWords =
  /base64$|b64$|connectionstrings?$|(session|sess)ids?$|(access|activation|auth|authorization|backup|confirmation|device|invitation|invite|login|mfa|otp|pairing|pass|pin|recovery|reset|security|sms|verification)codes?$/

const mayNameSecret = new RegExp(`${secrets}|${whole}|64|sess|code|connection`, 'i')

/** The last word decides: true for `clientSecret` and `contentBase64`, false for `passwordPolicy` and `hotPath`. */
export function namesSecret(name: string): boolean {
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
