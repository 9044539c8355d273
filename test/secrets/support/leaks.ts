const sliceLength = 12

/** Every text by which a secret could be recognised: itself in each encoding, and each twelve characters of it. */
function formsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret)
  const forms = new Map<string, string>()
  const add = (what: string, form: string) => {
    if (!forms.has(form)) forms.set(form, what)
  }
  for (let at = 0; at + sliceLength <= secret.length; at++) add(`slice ${at}`, secret.slice(at, at + sliceLength))
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

/** What of the secrets stands in the text; `what` of the secret and form, never the secret. */
export function leaksIn(text: string, secrets: readonly string[]): readonly string[] {
  const folded = text.toLowerCase()
  return secrets.flatMap((secret, i) =>
    [...formsOf(secret)]
      .filter(([form]) => text.includes(form) || folded.includes(form.toLowerCase()))
      .map(([, what]) => `secret ${i}: ${what}`),
  )
}
