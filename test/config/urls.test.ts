import { expect, it } from 'vitest'
import { baseUrl, insecurity, maskUrl, proxyUrl } from '../../src/config/values.ts'

it.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://API.example.com:443//', 'https://api.example.com'],
  ['https://api.example.com/eu/', 'https://api.example.com/eu'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('takes %s as %s', (text, expected) => {
  expect(baseUrl().parse(text)).toBe(expected)
})

it.each(['https:api.example.com', 'https:\\\\api.example.com', 'https://a b', 'https://', 'https://x/#'])(
  'refuses %s',
  (text) => expect(baseUrl().safeParse(text).success).toBe(false),
)

it.each(['https://x/api/public', 'https://x/API/PUBLIC/', 'https://x/api/public/users'])(
  'asks to remove the end of %s',
  (text) => {
    expect(baseUrl().safeParse(text).error?.issues[0]?.message).toMatch(
      /^remove `\/api\/public.*: expected "https:\/\/x"$/i,
    )
  },
)

it('accepts a proxy with credentials and refuses one with a path', () => {
  expect(proxyUrl().parse('http://me:pass@proxy:3128')).toBe('http://me:pass@proxy:3128')
  expect(proxyUrl().safeParse('http://proxy:3128/path').success).toBe(false)
})

it('lets plain http pass only on the loopback or when allowed', () => {
  expect(insecurity('http://127.0.0.1:1', false)).toBeUndefined()
  expect(insecurity('http://api.localhost', false)).toContain('https://api.localhost')
  expect(insecurity('http://api.example.com', true)).toBeUndefined()
  expect(insecurity('http://api.example.com', false)).toContain('https://api.example.com')
})

it.each([
  ['https://u:p@h/x', 'https://redacted@h/x'],
  ['u:p@h', 'redacted@h'],
  ['https://u:p/a@ss@h', 'https://redacted@h'],
  ['https://h/x?token=1', 'https://h/x?redacted'],
  ['https://h/x#token', 'https://h/x?redacted'],
  ['https://h/x', 'https://h/x'],
])('shows %s as %s', (text, expected) => {
  expect(maskUrl(text)).toBe(expected)
})
