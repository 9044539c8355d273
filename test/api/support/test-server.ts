import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../../support/listening.ts'
import { requestId } from './answers.ts'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Handler = (request: SeenRequest, response: ServerResponse, number: number) => void

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly requests: SeenRequest[]
  handler: Handler
}

/** A real HTTP server on loopback that records what it is sent, and ends with the test. */
export async function testServer(handler: Handler): Promise<TestServer> {
  const requests: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(seen)
    result.handler(seen, response, requests.length)
  })
  const port = await listening(server)
  const result: TestServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    handler,
  }
  return result
}

let answers = 0

/** As JSON; an answer with the id of the fixtures gets its own, as a second one with the same is taken for a replay. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const id = `11111111-2222-3333-4444-${String(++answers).padStart(12, '0')}`
  const text = JSON.stringify(body)?.replace(requestId, id)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
