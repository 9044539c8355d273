import { createServer } from 'node:http'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { echoes } from '../../../src/api/transport/body.ts'
import { asRequestId } from '../../../src/api/transport/envelope.ts'
import { roles } from '../../../src/resources/roles.ts'
import { listening } from '../../support/listening.ts'
import { envelope } from '../support/answers.ts'
import { caught } from '../support/caught.ts'
import { testClient } from '../support/client.ts'
import { sendJson, testServer } from '../support/test-server.ts'

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const numbered = (character: string) => String.raw`\u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`

it('finds a token in any text and name, however JSON writes it', () => {
  const ways = fc.array(fc.constantFrom('json', 'lower', 'upper', 'slash'), { minLength: 60, maxLength: 60 })
  const token = fc.string({ unit: visible, minLength: 8, maxLength: 60 })
  fc.assert(
    fc.property(token, ways, fc.string({ unit: 'grapheme' }), (text, chosen, other) => {
      const written = Array.from(text, (character, at) => {
        if (chosen[at] === 'lower') return numbered(character)
        if (chosen[at] === 'upper') return numbered(character).toUpperCase().replace('U', 'u')
        if (chosen[at] === 'slash' && character === '/') return String.raw`\/`
        return JSON.stringify(character).slice(1, -1)
      }).join('')
      const beside = JSON.stringify(other).slice(1, -1)
      for (const body of [`{"${beside}${written}": 1}`, `{"x": ["${written} ${beside}"]}`]) {
        expect(echoes(Buffer.from(body), text)).toBe(true)
      }
    }),
  )
})

it('finds nothing in a body without the token, nor a token of fewer than 8 characters', () => {
  expect(echoes(Buffer.from(String.raw`{"x": "a\\u0041-token\n"}`), 'A-token-of-acme')).toBe(false)
  expect(echoes(Buffer.from('{"name": "reading"}'), 'reading')).toBe(false)
})

it.each([
  ['7f9c24e8-3b12-4fef-91e0-56a2d5a1c001', '7f9c24e8-3b12-4fef-91e0-56a2d5a1c001'],
  ['0HMVD9K2J3L4:00000002', '0HMVD9K2J3L4:00000002'],
  ['4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4736'],
  [42, '42'],
  [' a\u0000\u001b[31m\nb\u202e ', 'a[31mb'],
  ['', null],
  ['\n', null],
  [null, null],
  [{}, null],
  ['x'.repeat(201), '[withheld: string of 201 characters]'],
  ['ann@example.com 7', '[withheld: string of 17 characters]'],
  ['eyJhbGciOiJub25lIn0.eyJhIjoxfQ.', '[withheld: string of 31 characters]'],
])('keeps the request id %j as bounded text', (sent, kept) => {
  expect(asRequestId(sent)).toBe(kept)
})

it('uses the configured proxy with its credentials, and reports when the proxy refuses', async () => {
  const target = await testServer((_, response) => sendJson(response, 200, envelope([])))
  const seen: (string | undefined)[] = []
  let open = true
  const proxy = createServer((request, response) => {
    seen.push(request.headers['proxy-authorization'])
    if (open) sendJson(response, 200, envelope([]))
    else response.writeHead(407).end()
  })
  const through = `http://me:CANARY@127.0.0.1:${await listening(proxy)}`
  const { client } = testClient(target.url, { api: { proxy: through } })
  expect((await client.reader.fetch(roles, {})).items).toEqual([])
  expect(target.requests).toHaveLength(0)
  expect(seen).toEqual([`Basic ${Buffer.from('me:CANARY').toString('base64')}`])
  open = false
  const error = await caught(client.reader.fetch(roles, {}))
  expect(error).toMatchObject({ reason: 'client_error', hint: expect.stringContaining('api.proxy') })
})
