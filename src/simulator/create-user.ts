import { type Answer, ApiError, type Call } from './answer.ts'

/** Greatest lengths; the specification does not give the values. */
const limits = { firstName: 100, lastName: 100, email: 254 } as const

const emailFormat = /^[^\s@"(),:;<>[\\\]]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i

/** A body that is not a JSON object lacks all four fields. */
function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/**
 * "Create user": the one endpoint that writes. The whole body is validated first (422 `VALIDATION_FAILED`, every
 * problem named), then the address, whatever its case, must be free in the tenant (409 `CONFLICT`).
 */
export function createUser({ tenant, body, style }: Call): Answer {
  const { roles, users } = tenant.resources
  const fields = parseBody(body)
  const problems: string[] = []
  const text = (field: keyof typeof limits): string => {
    const value = fields[field]
    if (typeof value !== 'string' || value.trim() === '') problems.push(`${field} is required`)
    else if (value.length > limits[field]) problems.push(`${field} must have at most ${limits[field]} characters`)
    else return value
    return ''
  }
  const [firstName, lastName, email] = [text('firstName'), text('lastName'), text('email')]
  if (email !== '' && !emailFormat.test(email)) problems.push('email is not a valid address')
  const { roleId } = fields
  const role = typeof roleId === 'number' && Number.isSafeInteger(roleId) ? roles.records.get(roleId) : undefined
  if (typeof roleId !== 'number' || !Number.isSafeInteger(roleId)) problems.push('roleId is required')
  else if (roleId <= 0) problems.push('roleId must be greater than 0')
  else if (role?.type !== 'User' || role.state !== 'Active') problems.push('roleId matches no assignable role')
  if (problems.length > 0 || role === undefined)
    throw new ApiError(422, 'VALIDATION_FAILED', 'The request body is not valid', {}, problems)
  if (users.records.all().some((user) => user.email.toLowerCase() === email.toLowerCase()))
    throw new ApiError(409, 'CONFLICT', 'A user with this email already exists')
  const invited = { state: 'Invited', mfaStatus: false, mfaAction: false }
  const { userId } = users.add({ firstName, lastName, email, roleId: role.roleId, ...invited })
  const user = users.records.get(userId)
  return { status: 201, data: user && users.show(user, style) }
}
