import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { roles } from '../../../src/resources/roles.ts'
import { envelope } from '../support/answers.ts'
import { caught } from '../support/caught.ts'
import { testClient } from '../support/client.ts'
import { sendJson, testServer } from '../support/test-server.ts'

it('uses the configured proxy with its credentials, and reports when the proxy refuses', async () => {
  await using target = await testServer((_, response) => sendJson(response, 200, envelope([])))
  const seen: (string | undefined)[] = []
  let open = true
  const proxy = createServer((request, response) => {
    seen.push(request.headers['proxy-authorization'])
    if (open) sendJson(response, 200, envelope([]))
    else response.writeHead(407).end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const { client } = testClient(target.url, { api: { proxy: `http://me:CANARY@127.0.0.1:${port}` } })
  expect((await client.fetch(roles, {})).items).toEqual([])
  expect(target.requests).toHaveLength(0)
  expect(seen).toEqual([`Basic ${Buffer.from('me:CANARY').toString('base64')}`])
  open = false
  const error = await caught(client.fetch(roles, {}))
  expect(error).toMatchObject({ reason: 'client_error', hint: expect.stringContaining('api.proxy') })
  await client[Symbol.asyncDispose]()
  proxy.closeAllConnections()
  proxy.close()
})
