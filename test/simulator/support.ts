import { onTestFinished } from 'vitest'
import {
  createService,
  type Service,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type TokenName,
} from '../../src/simulator/index.ts'

/** The moment all simulators of these tests start at. */
export const startTime = Date.parse('2026-03-01T12:00:00Z')

/** Where the API is in process. */
export const api = 'http://tenant.invalid/api/public'

export interface Body {
  readonly data: unknown
  readonly pagination: {
    readonly limit?: number
    readonly nextCursor?: string | null
    readonly hasMore: boolean
  } | null
  readonly error: unknown
  readonly meta: { readonly requestId: string; readonly timestamp: string }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface CallOptions {
  readonly token?: TokenName | null
  readonly method?: string
  readonly json?: unknown
}

/** A simulator at a fixed time, in process. */
export async function start(options: SimulatorOptions = {}): Promise<Service> {
  return createService({ clock: () => startTime, ...options })
}

/** A simulator at a fixed time on sockets, which end with the test. */
export async function startOnSockets(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ clock: () => startTime, ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** One request with a token (default `reader`), its answer parsed. */
export async function call(simulator: Service, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token = 'reader', method = 'GET', json } = options
  const headers = token === null ? {} : { authorization: `Bearer ${simulator.tokens[token]}` }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await simulator.fetch(new Request(`${api}${path}`, { method, headers, ...body }))
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) as Body }
}

/** The records of an answer. */
export function records(answer: Answer): Record<string, unknown>[] {
  return answer.body.data as Record<string, unknown>[]
}

/** The record of an answer. */
export function record(answer: Answer): Record<string, unknown> {
  return answer.body.data as Record<string, unknown>
}

/** The code inside the error of an answer, in the default error shape. */
export function code(answer: Answer): unknown {
  return (answer.body.error as { readonly code?: unknown } | null)?.code
}

export interface FullSync {
  readonly records: Record<string, unknown>[]
  readonly answers: Answer[]
  /** The last cursor that was not null. */
  readonly cursor: string
}

/** Follows the cursors of a list until `hasMore` is false. */
export async function fullSync(
  simulator: Service,
  path: string,
  from: string | null = null,
  token?: TokenName,
): Promise<FullSync> {
  const answers: Answer[] = []
  let cursor = from
  for (;;) {
    const query = cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
    const answer = await call(simulator, `${path}${query}`, token === undefined ? {} : { token })
    answers.push(answer)
    cursor = answer.body.pagination?.nextCursor || cursor
    if (answer.body.pagination?.hasMore !== true) break
  }
  return { records: answers.flatMap(records), answers, cursor: cursor ?? '' }
}
