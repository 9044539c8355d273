import { expect, it } from 'vitest'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import { envelope, problem, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { type Handler, sendJson, testServer } from './support/test-server.ts'

const send =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    sendJson(response, status, body, headers)
const roleList = send(200, envelope([]))

/** What is reported as failed when requests for roles are answered like this, one after the other. */
async function failedOf(...answers: readonly Handler[]): Promise<readonly string[]> {
  const server = await testServer((request, response, number) => {
    const answer = answers[number - 1] ?? roleList
    return answer(request, response, number)
  })
  const { client, failed } = testClient(server.url, { resources: ['roles', 'users'] })
  await client.reader.fetch(roles, {}).catch(() => {})
  return failed
}

it('reports each failed try once, by status or by reason', async () => {
  expect(await failedOf(roleList)).toEqual([])
  expect(await failedOf(send(500), send(429), roleList)).toEqual(['500', '429'])
  expect(await failedOf(send(404, problem('NOT_FOUND')))).toEqual(['404'])
  expect(await failedOf(send(302))).toEqual(['302'])
  const broken: Handler = (_, response) => response.destroy()
  expect(await failedOf(broken)).toEqual(['network'])
})

it('reports a 200 that cannot be used', async () => {
  expect(await failedOf(send(200, 'text'))).toEqual(['protocol'])
  expect(await failedOf(send(200, envelope({})))).toEqual(['protocol'])
  for (const age of ['301', ' 301, 0', '301,301'])
    expect(await failedOf(send(200, envelope([]), { age }))).toEqual(['stale_answer'])
})

it('reports no failure for a user that does not exist, but one for a 404 or a record of something else', async () => {
  const bodies: [number, unknown][] = [
    [404, problem('NOT_FOUND')],
    [404, {}],
    [200, envelope({ ...user, userId: 8 })],
  ]
  const server = await testServer((_, response, number) => sendJson(response, ...(bodies[number - 1] ?? [500, {}])))
  const { client, failed } = testClient(server.url)
  expect(await client.reader.fetchOne(users, 7)).toMatchObject({ item: null })
  expect(failed).toEqual([])
  await caught(client.reader.fetchOne(users, 7))
  expect(failed).toEqual(['404'])
  await caught(client.reader.fetchOne(users, 7))
  expect(failed).toEqual(['404', 'protocol'])
})
