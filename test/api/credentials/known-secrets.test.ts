import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KnownSecrets, type SecretMask } from '../../../src/api/credentials/known-secrets.ts'

const token = 'k7Qz9-Xb3_Wm5Tn8Rv2Lp6Yd4Hs1Gc0J'
const hex = (character: string) => character.charCodeAt(0).toString(16)

async function masked(mask: SecretMask, text: string): Promise<string> {
  const received = { retryAfterMs: null, ageSeconds: null, date: null, receivedAt: 0, receivedMonotonic: 0 }
  const outcome = await mask.maskIn({ kind: 'answer', status: 200, body: Buffer.from(text), ...received })
  return outcome.kind === 'answer' ? String(outcome.body) : 'failure'
}

/** What an answer to `acme` becomes where `globex` has these secrets. */
async function toAcme(text: string, ...secrets: readonly string[]): Promise<string> {
  const known = new KnownSecrets()
  const acme = known.of('acme')
  acme.note('CANARY-token-of-acme')
  for (const secret of secrets) known.of('globex').note(secret)
  return masked(acme, text)
}

it.each([
  ['as it is', (text: string) => text],
  ['in base64', (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')],
  ['in hexadecimal digits', (text: string) => Buffer.from(text).toString('hex')],
  ['with each character escaped', (text: string) => Array.from(text, (one) => `%${hex(one)}`).join('')],
  ['with each character escaped by escape()', (text: string) => Array.from(text, (one) => `%u00${hex(one)}`).join('')],
  ['as HTML', (text: string) => Array.from(text, (one) => `&#x${hex(one)};`).join('')],
  ['with characters without width', (text: string) => [...text].join('\u200b')],
  ['without its first and last characters', (text: string) => text.slice(3, -3)],
])('masks the secret of another tenant %s', async (_, write) => {
  expect(await toAcme(`{"x": "a ${write(token)} b", "own": "CANARY-token-of-acme"}`, token)).toBe(
    '{"x": "a [withheld] b", "own": "[withheld]"}',
  )
})

it.each([
  'Completed',
  'Api_AuthSettings_Read_Everything',
  '2026-11-27T04:10:45.517',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
])('leaves %s alone in the answers to others, whichever token endpoint gives it out', async (word) =>
  expect(await toAcme(`{"x": "${word}"}`, word)).toBe(`{"x": "${word}"}`),
)

it('finds every whole secret of another tenant, whatever it is and is beside it', async () => {
  const unit = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const secret = fc.string({ unit, minLength: 18, maxLength: 80 }).map((text) => `a1${text}`)
  await fc.assert(
    fc.asyncProperty(secret, fc.string({ unit: 'grapheme' }), async (text, beside) => {
      fc.pre(!beside.includes(text) && !/[[%&\\]/.test(beside))
      const written = JSON.stringify(text)
      expect(await toAcme(`${beside} ${written} ${beside}`, text)).toBe(`${beside} "[withheld]" ${beside}`)
    }),
  )
})

it('leaves an answer that holds no secret of anyone, and what tokens have in common', async () => {
  const header = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url')
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const body = `{"x": "${header}.another", "clientId": "${id}", "y": "${token.slice(0, 15)}"}`
  expect(await toAcme(body, `${header}.${token}`, `tw_${id}_${token}`)).toBe(body)
})

it('knows the last four secrets of each tenant, also when its settings change', async () => {
  const known = new KnownSecrets()
  const acme = known.of('acme')
  const tokens = Array.from({ length: 6 }, (_, n) => hash('sha256', `token ${n}`))
  for (const one of tokens.slice(0, 3)) known.of('globex').note(one)
  for (const one of tokens.slice(3)) known.of('globex').note(one)
  const shown = tokens.map((one) => masked(acme, one))
  expect((await Promise.all(shown)).map((one) => one.includes('[withheld]'))).toEqual([
    ...[false, false],
    ...[true, true, true, true],
  ])
})

it('forgets nothing of another tenant that has the same secret', async () => {
  const known = new KnownSecrets()
  for (const owner of ['globex', 'initech']) known.of(owner).note(token)
  for (let n = 0; n < 4; n++) known.of('globex').note(`another-token-${n}`)
  expect(await masked(known.of('acme'), token)).toBe('[withheld]')
  for (let n = 0; n < 4; n++) known.of('initech').note(`another-token-${n}`)
  expect(await masked(known.of('acme'), token)).toBe(token)
})

it('finds the secret of one among a thousand tenants', async () => {
  const known = new KnownSecrets()
  const tokenOf = (n: number) => Buffer.from(String(n * 7919).repeat(9)).toString('base64url')
  for (let n = 0; n < 1000; n++) known.of(`tenant-${n}`).note(tokenOf(n))
  expect(await masked(known.of('tenant-1'), `{"x": "${tokenOf(777)}"}`)).toBe('{"x": "[withheld]"}')
})
