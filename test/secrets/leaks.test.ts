import { expect, it } from 'vitest'
import { leaksIn } from './support/leaks.ts'

const secret = 'kV7qLr2ZxP9mTe4WyB6sJd8HuN3cGf5aRi1oQbYzEwXt'

it('finds every twelve characters of a secret, in capitals too', () => {
  for (let at = 0; at + 12 <= secret.length; at++) {
    const part = secret.slice(at, at + 12)
    expect(leaksIn(`Bearer ${part}, or so`, ['other secret of others', secret])).toEqual([`secret 1: slice ${at}`])
    expect(leaksIn(part.toUpperCase(), [secret])).toEqual([`secret 0: slice ${at}`])
  }
})

it('finds no fewer than twelve characters', () => {
  for (let at = 0; at + 11 <= secret.length; at++) expect(leaksIn(secret.slice(at, at + 11), [secret])).toEqual([])
})

it('finds a secret in other encodings', () => {
  const bytes = Buffer.from(secret)
  const output = (text: string) => leaksIn(`before ${text} after`, [secret])
  expect(output(bytes.toString('base64'))).toContain('secret 0: base64 0')
  expect(output(Buffer.concat([Buffer.from('id:'), bytes]).toString('base64'))).not.toEqual([])
  expect(output(Buffer.concat([Buffer.from('user:'), bytes]).toString('base64'))).not.toEqual([])
  expect(output(bytes.toString('hex'))).toEqual(['secret 0: hex'])
  expect(output([...secret].reverse().join(''))).toEqual(['secret 0: backwards'])
  expect(output(JSON.stringify([...bytes]))).toEqual(['secret 0: bytes'])
})
