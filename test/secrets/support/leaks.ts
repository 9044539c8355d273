const sliceLength = 12
/** Each slice has one of these whole within it, counted from the beginning of the secret. */
const blockLength = sliceLength / 2

/** Every text by which a secret could be recognised in another encoding. */
function formsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret)
  const forms = new Map<string, string>()
  const add = (what: string, form: string) => {
    if (!forms.has(form)) forms.set(form, what)
  }
  // Within a longer text the bits of base64 begin at any of three places.
  for (let shift = 0; shift < 3; shift++) {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    add(`base64 ${shift}`, whole.slice(shift === 0 ? 0 : 4, -4))
  }
  add('hex', bytes.toString('hex'))
  add('bytes', [...bytes].join(','))
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  add('percent', percent)
  add('percent in capitals', percent.toUpperCase())
  add('percent where needed', encodeURIComponent(secret))
  add('escapes', [...bytes].map((byte) => `\\u${byte.toString(16).padStart(4, '0')}`).join(''))
  add('backwards', [...secret].reverse().join(''))
  return forms
}

/** The secrets that the text contains, by index and encoding, never the secret itself. */
export function leaksIn(text: string, secrets: readonly string[]): readonly string[] {
  const folded = text.toLowerCase()
  const has = (form: string) => folded.includes(form.toLowerCase())
  return secrets.flatMap((secret, i) =>
    // Most texts contain no block of a secret: a few searches exclude it, instead of one for every slice.
    [...(blocksOf(secret).some(has) ? slicesOf(secret) : []), ...formsOf(secret)]
      .filter(([form]) => has(form))
      .map(([, what]) => `secret ${i}: ${what}`),
  )
}

/** Each twelve characters of a secret. */
function slicesOf(secret: string): readonly (readonly [form: string, what: string])[] {
  const count = Math.max(0, secret.length - sliceLength + 1)
  return Array.from({ length: count }, (_, at) => [secret.slice(at, at + sliceLength), `slice ${at}`] as const)
}

function blocksOf(secret: string): readonly string[] {
  const count = Math.floor(secret.length / blockLength)
  return Array.from({ length: count }, (_, n) => secret.slice(n * blockLength, (n + 1) * blockLength))
}
