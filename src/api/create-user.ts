import { SyncError } from '../model/errors.ts'
import { users } from '../resources/users.ts'
import type { Access } from './credentials/access.ts'
import { latestDate, recordDecoder } from './decode/record.ts'
import { createUserEndpoint as endpoint } from './endpoints.ts'
import type { CreateUserOutcome, NewUser, TenantWriter, User } from './reader.ts'
import { openEnvelope, violation } from './transport/envelope.ts'
import { type Answer, statusFailure } from './transport/outcome.ts'
import { inWords, type Send } from './transport/send.ts'

const readUser = recordDecoder(users.fields)
const what = inWords('POST', endpoint)

const mayExist = 'The user may have been created: look for the e-mail before sending it again'

/** Create user (docs/internals/api.md#create-user). Sent once, not even again after a 401, because it is not idempotent. */
export function createUserWriter(send: Send, access: Access): TenantWriter['createUser'] {
  return async (user, signal) => {
    const { firstName, lastName, email, roleId } = user
    const credential = await access.token(signal)
    const outcome = await send({
      endpoint,
      method: 'POST',
      path: endpoint.template,
      secret: credential.secret,
      body: JSON.stringify({ firstName, lastName, email, roleId }),
      signal,
    })
    if (outcome.kind === 'failure') throw withHint(outcome.error, mayExist)
    if (outcome.status === 401) throw await access.denied(endpoint, credential, 401, signal)
    const result = readOutcome(outcome, user)
    access.answered(endpoint, credential)
    return result
  }
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
    const { data, requestId, serverTime } = openEnvelope(body?.toString() ?? '', what, 201)
    const reading = readUser(data, latestDate(serverTime))
    if (!reading.ok) throw violation(what, `the user cannot be read: ${reading.problem}`, requestId, 201)
    const { state, roleId, roleName, email } = reading.record
    const isEmailSent = email?.toLowerCase() === sent.email.toLowerCase()
    if (state === 'Invited' && roleId === sent.roleId && roleName !== null && isEmailSent) return reading.record
    throw violation(what, 'state, roleId, roleName or email is not the one of the user sent', requestId, 201)
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    throw withHint(error, 'Do not send it again; look for the e-mail', `${error.message}; the user was created`)
  }
}

function hintFor(status: number): string | undefined {
  if (status === 422 || status === 400) {
    return 'All four fields are needed: names and e-mail within the bounds of the tenant, roleId of a role of type User'
  }
  return status >= 500 || status === 408 || (status >= 200 && status < 300) ? mayExist : undefined
}

function withHint(error: SyncError, hint: string | undefined, message = error.message): SyncError {
  const { status, requestId, retryAt } = error
  const known = { hint, status, requestId, retryAt }
  return new SyncError(error.reason, message, known)
}
