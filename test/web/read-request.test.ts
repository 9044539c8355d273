import type { IncomingMessage } from 'node:http'
import { expect, it, vi } from 'vitest'
import { readRequest } from '../../src/web/request-listener.ts'

function read(url: string) {
  const headers = { host: 'localhost' }
  return readRequest({
    method: 'GET',
    url,
    headers,
    headersDistinct: { host: ['localhost'] },
  } as never as IncomingMessage)
}

it('reads the first value of each parameter in their order, by whatever name, and notes a repeated one', () => {
  const { query = {}, repeated } = read('/?b=1&a=2&b=3&__proto__=4&constructor=5&a&=6&c') ?? {}
  expect([repeated, read('/?a=1&b=1')?.repeated, read('/')?.repeated]).toEqual(['b', null, null])
  expect(Object.entries(query)).toEqual([
    ['b', '1'],
    ['a', '2'],
    ['__proto__', '4'],
    ['constructor', '5'],
    ['', '6'],
    ['c', ''],
  ])
  expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
})

it('parses thousands of parameters in linear time', () => {
  const lookups = (['get', 'getAll', 'has'] as const).map((name) => vi.spyOn(URLSearchParams.prototype, name))
  const names = Array.from({ length: 4000 }, (_, i) => i.toString(36))
  expect(Object.keys(read(`/?${names.join('&')}`)?.query ?? {})).toHaveLength(4000)
  expect(lookups.flatMap(({ mock }) => mock.calls).length).toBeLessThan(10)
  for (const spy of lookups) spy.mockRestore()
})
