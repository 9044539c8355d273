import { expect, it } from 'vitest'
import { api, start, startTime } from './support.ts'

async function askToken(simulator: Awaited<ReturnType<typeof start>>, form: Record<string, string>, basic?: string) {
  const headers = basic === undefined ? {} : { authorization: `Basic ${btoa(basic)}` }
  const body = new URLSearchParams(form)
  const response = await simulator.fetch(new Request(new URL('/oauth/token', api), { method: 'POST', headers, body }))
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

function status(simulator: Awaited<ReturnType<typeof start>>, token: string, path = 'roles') {
  const headers = { authorization: `Bearer ${token}` }
  return simulator.fetch(new Request(`${api}/${path}`, { headers })).then((response) => response.status)
}

it('issues short-lived tokens for client credentials in the form or in Basic', async () => {
  let now = startTime
  const simulator = await start({ clock: () => now, oauthTokenSeconds: 60 })
  const { clientId, clientSecret } = simulator.credentials.withoutUsers
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: 'public' }
  const answers = [
    await askToken(simulator, form),
    await askToken(simulator, { grant_type: 'client_credentials', scope: 'public' }, `${clientId}:${clientSecret}`),
  ]
  for (const { status: answered, body } of answers) {
    expect([answered, body]).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 60, scope: 'public' },
    ])
    expect(await status(simulator, String(body['access_token']))).toBe(200)
    expect(await status(simulator, String(body['access_token']), 'users')).toBe(401)
  }
  expect((await askToken(simulator, { grant_type: 'client_credentials' }, '%zz:%')).status).toBe(401)
  now += 60_000
  expect(await status(simulator, String(answers[0]?.body['access_token']))).toBe(401)
  expect(simulator.violations).toEqual([])
})
