import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OwnSecrets } from '../../../src/api/credentials/own-secrets.ts'

async function masked(body: string, ...secrets: readonly string[]): Promise<string> {
  const own = new OwnSecrets()
  for (const secret of secrets) own.note(secret)
  return (await own.mask(Buffer.from(body))).toString()
}

const numbered = (character: string) => String.raw`\u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`

it('masks a secret in any text and name, however JSON writes it, and leaves the rest byte for byte', async () => {
  const secret = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 60,
  })
  const escapes = fc.array(fc.constantFrom('json', 'lower', 'upper', 'slash'), { minLength: 60, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(secret, escapes, fc.string({ unit: 'grapheme' }), async (text, ways, other) => {
      fc.pre(!JSON.stringify(other).includes(text) && !JSON.stringify(other).includes('['))
      const written = Array.from(text, (character, at) => {
        if (ways[at] === 'lower') return numbered(character)
        if (ways[at] === 'upper') return numbered(character).toUpperCase().replace('U', 'u')
        if (ways[at] === 'slash' && character === '/') return String.raw`\/`
        return JSON.stringify(character).slice(1, -1)
      }).join('')
      const beside = JSON.stringify(other).slice(1, -1)
      const bodyOf = (own: string) => `{"${beside} ${own}": ["x ${own} ${beside}", 1]}`
      expect(await masked(bodyOf(written), text)).toBe(bodyOf('[withheld]'))
    }),
  )
})

it('masks a secret as an address writes it, in upper and lower case', async () => {
  for (const secret of ['ab+/c=~(d)%25e|f', '%%%%%%%%', '++//==++', 'token%2fabc%']) {
    const encoded = encodeURIComponent(secret)
    for (const text of [encoded, encoded.toLowerCase()]) {
      expect(await masked(`{"x": "a=${text}&b"}`, secret)).toBe('{"x": "a=[withheld]&b"}')
    }
    expect(await masked(`{"x": "${secret}"}`, secret)).toBe('{"x": "[withheld]"}')
  }
})

const token = 'eyJhbGciOi+JIUzI1/NiIsInR5=cCI6'
const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')
const marks = (write: (character: string) => string) => (text: string) => text.replace(/[^A-Za-z0-9]/g, write)
const hex = (character: string) => character.charCodeAt(0).toString(16)
const names: Readonly<Record<string, string>> = { '+': '&plus;', '/': '&sol;', '=': '&equals;', '&': '&amp;' }

const writings: Readonly<Record<string, (text: string) => string>> = {
  'PHP writes it': (text) => text.replaceAll('/', String.raw`\/`),
  '.NET writes it': marks((character) => `\\u00${hex(character).toUpperCase()}`),
  'JavaScript writes it': marks((character) => `\\x${hex(character)}`),
  'an address writes it': encodeURIComponent,
  'an address writes it in lower case': marks((character) => `%${hex(character)}`),
  'an address within an address writes it': (text) => encodeURIComponent(encodeURIComponent(text)),
  'HTML writes it with numbers': marks((character) => `&#x${hex(character)};`),
  'HTML writes it with long numbers': marks((character) => `&#x00${hex(character).toUpperCase()};`),
  'HTML writes it with decimal numbers': marks((character) => `&#${character.charCodeAt(0)};`),
  'HTML writes it with names': marks((character) => names[character] ?? character),
  'HTML within JSON of .NET writes it': marks((character) => `\\u0026#x${hex(character)};`),
  'an address writes it in the alphabet for addresses': urlSafe,
  'a form reads it': (text) => text.replaceAll('+', ' '),
}

it.each(Object.keys(writings))('masks a secret as %s', async (how) => {
  const write = writings[how] ?? String
  const bodies = (own: string) => {
    const json = JSON.stringify({ note: `Bearer ${own}; x`, [own]: 1 })
    return [`<p>${own}</p>`, json, JSON.stringify(json)]
  }
  for (const text of [write(token), write(write(token))])
    expect(await Promise.all(bodies(text).map((body) => masked(body, token)))).toEqual(bodies('[withheld]'))
})

it('masks a secret of letters and digits that are escaped all the same', async () => {
  const every = (write: (character: string) => string) => [...token].map(write).join('')
  for (const text of [
    every((character) => `%${hex(character)}`),
    every((character) => `%25${hex(character)}`),
    every((character) => `&#${character.charCodeAt(0)};`),
    every((character) => `&#x${hex(character)};`),
  ])
    expect(await masked(`{"x": "a ${text}"}`, token)).toBe('{"x": "a [withheld]"}')
})

const invisible = ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff']
const numberOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

it.each(invisible)('masks a secret with characters that have no width: %j', async (character) => {
  for (const own of [token, 'short-one']) {
    for (const between of [character, numberOf(character), numberOf(character).toUpperCase().replace('U', 'u')]) {
      for (const text of [[...own].join(between), `${own.slice(0, 4)}${between.repeat(3)}${own.slice(4)}`]) {
        expect(await masked(`{"x": "a ${text} b"}`, own)).toBe('{"x": "a [withheld] b"}')
        expect(await masked(JSON.stringify(`{"x": "a ${text} b"}`), own)).toBe(
          JSON.stringify('{"x": "a [withheld] b"}'),
        )
      }
    }
  }
})

it('leaves characters without width that are in no secret', async () => {
  const own = new OwnSecrets()
  own.note(token)
  const body = Buffer.from(
    `{"x": "\u0645\u06cc\u200c\u062e a\u00adb \\u200b", "y": "\ufeff\u{1f469}\u200d\u{1f4bb}\u2026"}`,
  )
  expect(await own.mask(body)).toBe(body)
})

it('masks a secret without its padding, and in the other alphabet', async () => {
  expect(await masked('{"x": "abc-def_ghi"}', 'abc+def/ghi==')).toBe('{"x": "[withheld]"}')
  expect(await masked('{"x": "abc+def/ghi"}', 'abc-def_ghi')).toBe('{"x": "[withheld]"}')
})

it('takes linear time for a secret and an answer that repeat themselves', async () => {
  const own = new OwnSecrets()
  own.note('a'.repeat(16_384))
  const body = Buffer.alloc(2 ** 22, `${'a'.repeat(16_383)}b%2525`)
  const start = performance.now()
  expect((await own.mask(body)).length).toBeLessThan(body.length)
  expect(performance.now() - start).toBeLessThan(10_000)
})

it('gives back the very body that holds no secret', async () => {
  const own = new OwnSecrets()
  own.note('CANARY-token-31415926535')
  for (const text of ['{}', String.raw`{"name": "Ren\u00e9 \u0043ANARY"}`, '31415926535', '']) {
    const body = Buffer.from(text)
    expect(await own.mask(body)).toBe(body)
  }
})

it('masks the longest secret there may be', async () => {
  const secret = 'ab+/'.repeat(4096)
  expect(await masked(`{"x": "${secret}"}`, secret)).toBe('{"x": "[withheld]"}')
})

it('knows the secrets sent last, and takes no short word for one', async () => {
  const tokens = ['token-number-1', 'token-number-2', 'token-number-3', 'token-number-4', 'token-number-5']
  const sent = tokens.flatMap((token) => ['client-secret', token])
  expect(await masked('client-secret token-number-5 token-number-4 token-number-3', ...sent)).toBe(
    '[withheld] [withheld] [withheld] [withheld]',
  )
  expect(await masked('{"state": "Active"}', 'Active')).toBe('{"state": "Active"}')
})

const key = 'k7Qz9-Xb3_Wm5Tn8Rv2Lp6Yd4Hs1Gc0J'
const long = `${key}${[...key].toReversed().join('')}`

it.each([
  [key, 16],
  [long, 24],
])('masks each slice of a long secret of which it has enough characters: %s', async (secret, least) => {
  for (let from = 0; from + least <= secret.length; from += 1) {
    const slice = secret.slice(from, from + least)
    expect(await masked(`{"x": "~${slice}~", "y": 1}`, secret), slice).toBe('{"x": "~[withheld]~", "y": 1}')
    const short = `{"x": "~${slice.slice(1)}~"}`
    expect(await masked(short, secret), short).toBe(short)
  }
})

it('masks a slice as JSON and addresses write it, and in the other alphabet', async () => {
  const secret = 'k7Qz9+Xb3/Wm5Tn8Rv2Lp6+Yd4Hs1Gc0/JfAb1Cd2Ef3+Gh4Ij5'
  const slice = secret.slice(3, 40)
  for (const text of [slice.replaceAll('/', String.raw`\/`), encodeURIComponent(slice), urlSafe(slice)])
    expect(await masked(`{"x": "a ${text} b"}`, secret)).toBe('{"x": "a [withheld] b"}')
})

it.each([
  ['Base64', (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')],
  ['Base64 for addresses', (bytes: Buffer) => bytes.toString('base64url')],
  ['hexadecimal numbers', (bytes: Buffer) => bytes.toString('hex')],
  ['upper-case hexadecimal numbers', (bytes: Buffer) => bytes.toString('hex').toUpperCase()],
] as const)('masks a secret in %s, also a short one', async (_, write) => {
  for (const secret of [long, key, 'short-secret', 'eight-ch'])
    expect(await masked(`{"x": "a ${write(Buffer.from(secret))} b"}`, secret)).toBe('{"x": "a [withheld] b"}')
})

it('masks a secret in Base64 behind a name of any length', async () => {
  for (const name of ['', 'a', 'ab', 'abc']) {
    const basic = Buffer.from(`${name}:${long}`).toString('base64')
    const shown = await masked(`{"x": "Basic ${basic}"}`, long)
    expect(shown).toMatch(/^\{"x": "Basic [\w+/]{0,7}\[withheld\][\w+/]{0,1}={0,2}"\}$/)
  }
})

it('leaves JSON valid where the text before a slice is an escape that ends like the secret', async () => {
  const secret = `Qn0Ae9${long}`
  for (const [body, shown] of [
    [String.raw`{"x": "a\n0Ae9${long}"}`, String.raw`{"x": "a\n[withheld]"}`],
    [String.raw`{"x": "\u0Ae9${long}"}`, String.raw`{"x": "\u0Ae9[withheld]"}`],
    [String.raw`{"x": "\\n0Ae9${long}"}`, String.raw`{"x": "\\n[withheld]"}`],
  ] as const) {
    expect(await masked(body, secret)).toBe(shown)
    expect(() => JSON.parse(shown)).not.toThrow()
  }
})

it('leaves what a secret has in common with other texts: the header of a token, an id, structure', async () => {
  const header = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url')
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  for (const [secret, body] of [
    [`${header}.${key}.${long}`, `{"x": "${header}.another"}`],
    [`tw_${id}_${long}`, `{"clientId": "${id}"}`],
    ['","a":1,"b":2,"c":3,"d":4,"e":5,"f":"', '{"x":"","a":1,"b":2,"c":3,"d":4,"e":5,"g":""}'],
  ] as const)
    expect(await masked(body, secret)).toBe(body)
})
