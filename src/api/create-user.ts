import { SyncError } from '../model/errors.ts'
import { users } from '../resources/users.ts'
import type { Access } from './credentials/access.ts'
import { recordDecoder } from './decode/record.ts'
import { latestDate } from './decode/values.ts'
import { createUserEndpoint as endpoint } from './endpoints.ts'
import type { CreateUserOutcome, NewUser, TenantWriter, User } from './reader.ts'
import { openEnvelope, violation } from './transport/envelope.ts'
import { type Answer, statusFailure } from './transport/outcome.ts'
import { inWords, type Send } from './transport/send.ts'

const readUser = recordDecoder(users.fields)
const what = inWords('POST', endpoint)

const mayExist = 'The user may have been created: look for the e-mail before sending it again'

/** Create user (docs/api.md#create-user). Sent once, not even again after a 401, because it is not idempotent. */
export function createUserWriter(send: Send, access: Access): TenantWriter['createUser'] {
  return async (user, signal) => {
    const credential = await access.token(signal)
    const outcome = await send({
      endpoint,
      method: 'POST',
      path: endpoint.template,
      secret: credential.secret,
      body: toBody(user),
      signal,
    })
    if (outcome.kind === 'failure') throw withHint(outcome.error, mayExist)
    if (outcome.status === 401) throw await access.denied(endpoint, credential, 401, signal)
    const result = readOutcome(outcome, user)
    access.answered(endpoint, credential)
    return result
  }
}

function toBody({ firstName, lastName, email, roleId }: NewUser): string {
  return JSON.stringify({ firstName, lastName, email, roleId })
}

function readOutcome(answer: Answer, sent: NewUser): CreateUserOutcome {
  const { status } = answer
  if (status === 409) return { outcome: 'already_created' }
  if (status === 201) return { outcome: 'created', user: readCreated(answer, sent) }
  const { error } = statusFailure(answer, { what, permission: endpoint.permission })
  throw withHint(error, hintFor(status) ?? error.hint)
}

function readCreated({ body }: Answer, sent: NewUser): User {
  try {
    const { data, requestId, serverTime } = openEnvelope(body?.toString() ?? '', 201, what)
    const reading = readUser(data, latestDate(serverTime))
    if (!reading.ok) throw violation(what, 201, `the user cannot be read: ${reading.problem}`, requestId)
    const broken = brokenBy(reading.record, sent)
    if (broken !== null) throw violation(what, 201, broken, requestId)
    return reading.record
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    throw withHint(error, 'Do not send it again; look for the e-mail', `${error.message}; the user was created`)
  }
}

function brokenBy({ state, roleId, roleName, email }: User, sent: NewUser): string | null {
  if (state !== 'Invited') return 'state is not Invited'
  if (roleId !== sent.roleId) return 'roleId is not the one sent'
  if (roleName === null) return 'roleName is not set'
  return email?.toLowerCase() === sent.email.toLowerCase() ? null : 'email is not the one sent'
}

function hintFor(status: number): string | undefined {
  if (status === 422 || status === 400) {
    return 'All four fields are needed: names and e-mail within the bounds of the tenant, roleId of a role of type User'
  }
  return status >= 500 || status === 408 || (status >= 200 && status < 300) ? mayExist : undefined
}

function withHint(error: SyncError, hint: string | undefined, message = error.message): SyncError {
  const { reason, status, requestId, retryAt } = error
  return new SyncError(reason, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAt === undefined ? {} : { retryAt }),
  })
}
