import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseAddress } from '../../../../src/store/db/postgres/address.ts'
import { selfSigned } from '../../../support/certificate.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const refusal = (text: string) => {
  try {
    parseAddress(text)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

it('reads where the database is, and its password apart', () => {
  expect(parseAddress('postgres://tenant:p%40ss%2F@127.0.0.1:6543/mirror')).toEqual({
    address: { host: '127.0.0.1', port: 6543, database: 'mirror', user: 'tenant', tls: null },
    password: 'p@ss/',
  })
})

it('takes the usual port, a socket, and no password', () => {
  const { address, password } = parseAddress('postgresql://tenant@localhost/mirror?host=/var/run/postgresql')
  expect(address).toMatchObject({ host: '/var/run/postgresql', port: 5432, tls: null })
  expect(password).toBeNull()
})

it('verifies a server on another machine unless the URL says otherwise', () => {
  const tls = (mode: string) => parseAddress(`postgres://u:p@db.example.com/m${mode}`).address.tls
  expect(tls('')).toEqual({ rejectUnauthorized: true })
  expect(tls('?sslmode=verify-full')).toEqual({ rejectUnauthorized: true })
  expect(tls('?sslmode=verify-ca')).toMatchObject({
    rejectUnauthorized: true,
    checkServerIdentity: expect.any(Function),
  })
  expect(tls('?sslmode=require')).toEqual({ rejectUnauthorized: false })
  expect(tls('?sslmode=disable')).toBeNull()
  expect(parseAddress('postgres://u:p@localhost/m?sslmode=verify-full').address.tls).not.toBeNull()
})

it('refuses modes that fall back to an unencrypted connection', () => {
  for (const mode of ['prefer', 'allow', '']) {
    expect(refusal(`postgres://u:p@db.example.com/m?sslmode=${mode}`)).toContain(
      'another sslmode than disable, require',
    )
  }
})

it('refuses certificates that it cannot read', () => {
  const file = join(temporaryFolder(), 'ca.pem')
  const url = (path: string) => `postgres://u:p@db.example.com/m?sslrootcert=${encodeURIComponent(path)}`
  expect(refusal(url(file))).toBe('The URL of store.url names a sslrootcert that cannot be read')
  writeFileSync(file, 'no certificate')
  expect(refusal(url(file))).toBe('The URL of store.url names a sslrootcert without a certificate')
})

it('reads certificates again for each connection, and keeps the last ones while a file is half written or away', () => {
  const [old, renewed] = [selfSigned('db.example.com').cert, selfSigned('db.example.com').cert]
  const file = join(temporaryFolder(), 'ca.pem')
  writeFileSync(file, old)
  const { address } = parseAddress(`postgres://u:p@db.example.com/m?sslrootcert=${encodeURIComponent(file)}`)
  const seen = () => Object.assign({}, address.tls)
  expect(seen()).toEqual({ rejectUnauthorized: true, ca: old })
  writeFileSync(file, renewed)
  expect(seen()).toEqual({ rejectUnauthorized: true, ca: renewed })
  writeFileSync(file, old.slice(0, 200))
  expect(seen().ca).toBe(renewed)
  rmSync(file)
  expect(seen().ca).toBe(renewed)
})

it('refuses any other URL without showing a part of it', () => {
  const secret = 'hunter2'
  const urls = [
    `mysql://u:${secret}@host/m`,
    `postgres://u:${secret}/x@host/m`,
    `postgres://u:12/${secret}@host/m`,
    `postgres://u:12?${secret}@host/m`,
    `postgres://u:12#${secret}@host/m`,
    `postgres://u:${secret}%zz@host/m`,
    `postgres://u:${secret} x@host/m`,
    `postgres://u:${secret}@host/m?password=${secret}`,
    `postgres://u:${secret}@host/m?options=${secret}`,
    `postgres://u:${secret}@host/`,
    `postgres://:${secret}@host/m`,
    `postgres://u:${secret}@/m`,
    `postgres://u:${secret}@host:99999/m`,
    `${secret}`,
    '',
  ]
  for (const url of urls) {
    expect(refusal(url), url).toMatch(/^The URL of store\.url (is no|contains|has|names)/)
    expect(refusal(url), url).not.toContain(secret)
  }
})
