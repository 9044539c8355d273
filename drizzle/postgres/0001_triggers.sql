do $$
declare found record;
begin
  for found in select t.tgname, t.tgrelid::regclass as on_table from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and t.tgname like 'tenantwatch\_%'
  loop
    execute format('drop trigger %I on %s', found.tgname, found.on_table);
  end loop;
end $$
--> statement-breakpoint
create sequence if not exists rid_blocks minvalue 1 maxvalue 8388607 no cycle
--> statement-breakpoint
create or replace function tenantwatch_rids(of_tenant bigint, of_records text, amount bigint)
returns setof bigint language plpgsql as $$
declare
  at bigint;
  owed bigint := amount;
  taken bigint;
begin
  select next into at from rid_counters where tenant_id = of_tenant and records = of_records;
  at := coalesce(at, 0);
  while owed > 0 loop
    if at % 256 = 0 then
      at := nextval('rid_blocks') << 8;
    end if;
    taken := least(owed, 256 - at % 256);
    return query select generate_series(at, at + taken - 1);
    at := at + taken;
    owed := owed - taken;
  end loop;
  insert into rid_counters (tenant_id, records, next) values (of_tenant, of_records, at)
    on conflict (tenant_id, records) do update set next = excluded.next;
end $$
--> statement-breakpoint
create or replace function tenantwatch_api_clients_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('api-clients', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'api-clients' and grouping = '' and value = json_build_array()::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'api-clients' and grouping = '' and value = json_build_array()::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'api-clients', '', json_build_array()::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'api-clients' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'api-clients' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'api-clients', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "client_id", "name", "role_name", "secret_expiration_date", "secret_expiration_date_ms", "created_at", "created_at_ms", "client_key", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "api_clients"
  for each row execute function tenantwatch_api_clients_changed()
--> statement-breakpoint
create or replace function tenantwatch_authentication_settings_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('authentication-settings', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'authentication-settings' and grouping = '' and value = json_build_array()::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'authentication-settings' and grouping = '' and value = json_build_array()::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'authentication-settings', '', json_build_array()::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'authentication-settings' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'authentication-settings' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'authentication-settings', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "sso_enabled", "sso_enforced", "provider_type", "tenant_name", "mfa_enabled", "singleton", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "authentication_settings"
  for each row execute function tenantwatch_authentication_settings_changed()
--> statement-breakpoint
create or replace function tenantwatch_documents_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('documents', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or old."upload_status" is distinct from new."upload_status" then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'documents' and grouping = 'uploadStatus' and value = json_build_array(old."upload_status")::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'documents' and grouping = 'uploadStatus' and value = json_build_array(old."upload_status")::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'documents', 'uploadStatus', json_build_array(new."upload_status")::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'documents' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'documents' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'documents', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "file_id", "filename", "upload_status", "created_at", "created_at_ms", "updated_at", "updated_at_ms", "file_key", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "documents"
  for each row execute function tenantwatch_documents_changed()
--> statement-breakpoint
create or replace function tenantwatch_permissions_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('permissions', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'permissions' and grouping = '' and value = json_build_array()::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'permissions' and grouping = '' and value = json_build_array()::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'permissions', '', json_build_array()::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'permissions' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'permissions' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'permissions', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "permission_id", "name", "module", "function", "code", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "permissions"
  for each row execute function tenantwatch_permissions_changed()
--> statement-breakpoint
create or replace function tenantwatch_roles_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('roles', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or old."state" is distinct from new."state" then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'roles' and grouping = 'state' and value = json_build_array(old."state")::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'roles' and grouping = 'state' and value = json_build_array(old."state")::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'roles', 'state', json_build_array(new."state")::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'roles' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'roles' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'roles', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "role_id", "name", "description", "state", "type", "is_read_only", "permissions", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "roles"
  for each row execute function tenantwatch_roles_changed()
--> statement-breakpoint
create or replace function tenantwatch_users_changed() returns trigger language plpgsql as $$
begin
  insert into record_revisions (resource, block, revision) values ('users', old.rid >> 8, 1)
    on conflict (resource, block) do update set revision = record_revisions.revision + 1;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or old."state" is distinct from new."state" or old."mfa_status" is distinct from new."mfa_status" or old."mfa_action" is distinct from new."mfa_action" then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'users' and grouping = 'state,mfaStatus,mfaAction' and value = json_build_array(old."state", old."mfa_status", old."mfa_action")::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'users' and grouping = 'state,mfaStatus,mfaAction' and value = json_build_array(old."state", old."mfa_status", old."mfa_action")::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'users', 'state,mfaStatus,mfaAction', json_build_array(new."state", new."mfa_status", new."mfa_action")::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or old."state" is distinct from new."state" or old."role_id" is distinct from new."role_id" or old."role_name" is distinct from new."role_name" then
    if old.removed_at is null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'users' and grouping = 'state,roleId,roleName' and value = json_build_array(old."state", old."role_id", old."role_name")::text;
      delete from record_counts where tenant_id = old.tenant_id and resource = 'users' and grouping = 'state,roleId,roleName' and value = json_build_array(old."state", old."role_id", old."role_name")::text and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'users', 'state,roleId,roleName', json_build_array(new."state", new."role_id", new."role_name")::text, 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  if tg_op = 'DELETE' or (old.removed_at is null) <> (new.removed_at is null) or (old.missing_since is null) <> (new.missing_since is null) then
    if old.removed_at is null and old.missing_since is not null then
      update record_counts set count = count - 1 where tenant_id = old.tenant_id and resource = 'users' and grouping = 'missing' and value = '[]';
      delete from record_counts where tenant_id = old.tenant_id and resource = 'users' and grouping = 'missing' and value = '[]' and count = 0;
    end if;
    if tg_op = 'UPDATE' and new.removed_at is null and new.missing_since is not null then
      insert into record_counts (tenant_id, resource, grouping, value, count)
        values (new.tenant_id, 'users', 'missing', '[]', 1)
        on conflict (tenant_id, resource, grouping, value) do update set count = record_counts.count + 1;
    end if;
  end if;
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_changed after update of "user_id", "first_name", "last_name", "email", "state", "mfa_status", "mfa_action", "role_id", "role_name", "created_at", "created_at_ms", "extra", "removed_at", "missing_since", "absent_full_syncs" or delete on "users"
  for each row execute function tenantwatch_users_changed()
--> statement-breakpoint
create or replace function tenantwatch_waiver_terms() returns trigger language plpgsql as $$
begin
  insert into waiver_changes (tenant_id, waiver, at, terms, "check")
    values (new.tenant_id, new.id, new.since, new.terms, new."check");
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_terms after insert on waivers
  for each row execute function tenantwatch_waiver_terms()
--> statement-breakpoint
create or replace function tenantwatch_waiver_lapses() returns trigger language plpgsql as $$
begin
  insert into waiver_changes (tenant_id, waiver, at, terms, "check", fingerprint, accepted, changed)
    values (new.tenant_id, new.waiver, new.lapsed_at, new.terms, new."check", new.fingerprint, new.facts,
      new.lapsed_facts);
  return null;
end $$
--> statement-breakpoint
create trigger tenantwatch_lapses after update of lapsed_at on waived_findings
  for each row when (old.lapsed_at is null and new.lapsed_at is not null)
  execute function tenantwatch_waiver_lapses()
