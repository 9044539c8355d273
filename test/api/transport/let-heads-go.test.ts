import type { Dispatcher } from 'undici'
import { expect, it } from 'vitest'
import { Dispatchers } from '../../../src/api/transport/dispatchers.ts'
import { sendJson, testServer } from '../support/test-server.ts'

it('releases the bytes of an answer although undici retains its request', async () => {
  await using server = await testServer((_, response) => sendJson(response, 200, { data: [] }))
  const dispatchers = new Dispatchers({ timeoutMs: 1000, proxy: null, caFile: null })
  const dispatcher = await dispatchers.current()
  const ended = Promise.withResolvers<{ controller: Dispatcher.DispatchController; type: unknown; body: string }>()
  const chunks: Buffer[] = []
  let type: unknown
  dispatcher.dispatch(
    { origin: server.url, path: '/', method: 'GET' },
    {
      onRequestStart: () => {},
      onResponseStart(_, __, headers) {
        type = headers['content-type']
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: (controller) => ended.resolve({ controller, type, body: Buffer.concat(chunks).toString() }),
      onResponseError: (_, error) => ended.reject(error),
    },
  )
  const { controller, ...answer } = await ended.promise
  await dispatchers.destroy()
  expect(answer).toEqual({ type: expect.stringContaining('application/json'), body: '{"data":[]}' })
  expect(controller.rawHeaders).toBeNull()
})
