import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { roles } from '../../../src/resources/roles.ts'
import { selfSigned } from '../../support/certificate.ts'
import { listening } from '../../support/listening.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { envelope } from '../support/answers.ts'
import { caught } from '../support/caught.ts'
import { testClient } from '../support/client.ts'

let requests = 0
const folder = temporaryFolder(afterAll)
const path = (name: string) => join(folder, name)
const [right, wrong] = [selfSigned('127.0.0.1'), selfSigned('example.com')]
writeFileSync(path('right.pem'), right.cert)
writeFileSync(path('wrong.pem'), wrong.cert)

const server = createServer(right, (_, response) => {
  requests += 1
  response.end(JSON.stringify(envelope([])))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`

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
  for (const bad of ['not a certificate', wrong.cert]) {
    writeFileSync(caFile, bad)
    expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason: 'tls' })
  }
  writeFileSync(caFile, `\n${right.cert}`)
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
  server.setSecureContext(wrong)
  const { client } = testClient(url, { api: { caFile: path('wrong.pem') } })
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({
    reason: 'tls',
    message: expect.stringContaining('ALTNAME'),
  })
})
