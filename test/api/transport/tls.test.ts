import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { roles } from '../../../src/resources/roles.ts'
import { selfSigned } from '../../support/certificate.ts'
import { listening } from '../../support/listening.ts'
import { envelope } from '../support/answers.ts'
import { caught } from '../support/caught.ts'
import { testClient } from '../support/client.ts'

let folder = ''
let url = ''
let requests = 0
const path = (name: string) => join(folder, name)

async function certificate(name: string, host: string) {
  const { cert, key } = selfSigned(host)
  await writeFile(path(`${name}.pem`), cert)
  await writeFile(path(`${name}.key`), key)
}

const server = createServer((_, response) => {
  requests += 1
  response.end(JSON.stringify(envelope([])))
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenantwatch-tls-'))
  await certificate('right', '127.0.0.1')
  await certificate('wrong', 'example.com')
  server.setSecureContext({ key: await readFile(path('right.key')), cert: await readFile(path('right.pem')) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

it('refuses a self-signed certificate without a retry, and takes it with caFile', async () => {
  const { client, clock } = testClient(url)
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({
    reason: 'tls',
    hint: expect.stringContaining('caFile'),
  })
  expect(clock.sleeps).toEqual([])
  expect(requests).toBe(0)
  const believing = testClient(url, { api: { caFile: path('right.pem') } })
  await believing.client.reader.fetch(roles, {})
})

it('reads caFile again when it changes, and fails as tls while it cannot be used', async () => {
  const caFile = path('ca.pem')
  const { client } = testClient(url, { api: { caFile } })
  expect((await caught(client.reader.fetch(roles, {}))).message).toMatch(/ca\.pem cannot be used: ENOENT/)
  await mkdir(caFile)
  expect((await caught(client.reader.fetch(roles, {}))).message).toMatch(/ca\.pem cannot be used: it is a directory/)
  await rmdir(caFile)
  execFileSync('mkfifo', [caFile])
  expect((await caught(client.reader.fetch(roles, {}))).message).toMatch(
    /ca\.pem cannot be used: it is not a regular file/,
  )
  await rm(caFile)
  await writeFile(caFile, 'not a certificate')
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason: 'tls' })
  await writeFile(caFile, await readFile(path('wrong.pem')))
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason: 'tls' })
  await writeFile(caFile, `\n${await readFile(path('right.pem'), 'utf8')}`)
  expect((await client.reader.fetch(roles, {})).items).toEqual([])
})

it('checks the certificate through a proxy too, which sees only a tunnel', async () => {
  const tunnels: (string | undefined)[] = []
  const proxy = createProxy().on('connect', (request, client) => {
    tunnels.push(request.url)
    const onward = connect(Number(new URL(url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(client).pipe(onward)
    })
  })
  const through = `http://127.0.0.1:${await listening(proxy)}`
  const believing = testClient(url, { api: { proxy: through, caFile: path('right.pem') } })
  const verifying = testClient(url, { api: { proxy: through } })
  expect((await believing.client.reader.fetch(roles, {})).items).toEqual([])
  expect(await caught(verifying.client.reader.fetch(roles, {}))).toMatchObject({ reason: 'tls' })
  expect(tunnels[0]).toBe(new URL(url).host)
})

it('refuses a certificate of another host', async () => {
  server.setSecureContext({ key: await readFile(path('wrong.key')), cert: await readFile(path('wrong.pem')) })
  const { client } = testClient(url, { api: { caFile: path('wrong.pem') } })
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({
    reason: 'tls',
    message: expect.stringContaining('ALTNAME'),
  })
})
