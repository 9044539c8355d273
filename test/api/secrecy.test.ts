import { expect, it } from 'vitest'
import { users } from '../../src/resources/users.ts'
import { envelope, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient, token } from './support/client.ts'
import { testServer } from './support/test-server.ts'

it.each([
  ['as it is', (text: string) => text],
  ['with JSON escapes', (text: string) => text.replace('C', '\\u0043').replace('-', '\\u002D')],
])('refuses an answer that contains its token %s, in a name, a value or the cursor', async (_, write) => {
  const body = (data: object, nextCursor: string) =>
    JSON.stringify(envelope([data], { limit: 1, nextCursor, hasMore: true })).replaceAll('TOKEN', write(token))
  const bodies = [body({ ...user, roleName: 'of TOKEN' }, 'c'), body({ ...user, TOKEN: 1 }, 'c'), body(user, 'TOKEN')]
  const server = await testServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(bodies.shift())
  })
  const { client } = testClient(server.url)
  while (bodies.length > 0) {
    expect(await caught(client.reader.fetch(users, {}))).toMatchObject({
      reason: 'protocol',
      message: 'GET /api/public/users answered 200 with the token in the body',
    })
  }
})
