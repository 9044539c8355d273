import { createServer } from 'node:http'
import { guid, type TenantContents, tenantAnswers } from '../support/tenant-answers.ts'

/**
 * The API of the benchmarks' tenants, as a process of its own so that its CPU time is not measured: the large tenant, whose
 * contents the parent sends, and below `/t/NUMBER` small ones of 50 users.
 */
const startedAt = Date.now()
const answersOf = new Map<number, ReturnType<typeof tenantAnswers>>()
let responses = 0

const server = createServer((request, response) => {
  const [, number = '0', path = '', query = ''] =
    /^(?:\/t\/(\d+))?\/api\/public\/([^?]*)\??(.*)$/.exec(request.url ?? '') ?? []
  const tenant = Number(number)
  const answers = answersOf.get(tenant) ?? tenantAnswers({ tenant, users: 50, changed: false }, startedAt)
  answersOf.set(tenant, answers)
  const { status, beginning } = answers(path, new URLSearchParams(query).get('cursor'))
  const meta = { requestId: guid(1, tenant, responses++), timestamp: new Date().toISOString() }
  const end = `${JSON.stringify(meta)}}`
  const headers = { 'content-type': 'application/json', 'content-length': beginning.length + end.length }
  response.writeHead(status, headers).write(beginning)
  response.end(end)
})

process.on('message', (contents: TenantContents) => {
  answersOf.delete(contents.tenant)
  answersOf.set(contents.tenant, tenantAnswers(contents, startedAt))
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
