/** The schema of the mirror, in SQL. */
export const presentSchema = 'quote_ident(current_schema())::regnamespace'

/**
 * Condition that the role `role` of `pg_roles` is not trusted: not a superuser, not the user (`self`), nor a role of
 * which the user is a member. A superuser counts as a member of every role.
 */
export function isForeignRole(role: string, self: string): string {
  return `not ${role}.rolsuper and ${role}.rolname <> current_user
    and (${self}.rolsuper or not pg_has_role(${role}.oid, 'usage'))`
}
