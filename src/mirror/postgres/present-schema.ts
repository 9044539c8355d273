/** The schema of the mirror, in SQL. */
export const presentSchema = 'quote_ident(current_schema())::regnamespace'

/**
 * Condition that the role `role` of `pg_roles` is not trusted: neither a superuser, nor the user itself (`self`), nor a role
 * that the user is a member of. Of each role, a superuser counts as a member.
 */
export function isForeignRole(role: string, self: string): string {
  return `not ${role}.rolsuper and ${role}.rolname <> current_user
    and (${self}.rolsuper or not pg_has_role(${role}.oid, 'usage'))`
}
