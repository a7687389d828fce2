-- Everything that writes voices and consents, each in one step: Redis runs a script as a whole or not
-- at all. Nor after asked.deadline_us, by its own clock, when whoever asked has been told that it failed. KEYS[1] is what all keys begin with, ARGV[1] what to do, ARGV[2] with what (MessagePack); then
-- follow, each behind its path, the bytes in there: Redis' MessagePack knows text only.
--
--   voice:ID       hash     name, owner, about, voice, embedding; ends by itself when the voice does
--   stub:ID        hash     name, owner, consent_id; what the indexes have of a voice, until purged
--   voices:SCOPE   sorted   ids by when they were made
--   named:SCOPE:NAME  set   ids
--   expiring       sorted   ids by when they end
--   reference:ID   hash     key_id, sealed; ends with its voice
--   references     sorted   ids, all with score 0
--   consent:ID     hash     name, owner, about, kind, given, origin
--   consents:SCOPE sorted   ids by when they were given
--   made:CONSENT   set      ids of the voices made under it
--   copies:CONSENT set      ids of the consents that came of it by export and import
--   waiting        sorted   ids of consents that go without a voice, by when they were given
--   withdrawn      set      ids of consents
--   serving        sorted   marks of services, by until when they hold
--   deletions      stream   ids of voices, for whoever holds them in memory
--
-- A scope is '*', '=OWNER', or '/KEY' for what belongs to subjects of a key.

local PREFIX = KEYS[1]
local FORGETTABLE = {live = true, clone = true, import = true}

local function key(kind, id) return PREFIX .. kind .. ':' .. id end

local function words(text)
  local found = {}
  for word in string.gmatch(text, '[^ ]+') do found[#found + 1] = word end
  return found
end

local function scopes(owner)
  local found = {'*', '=' .. owner}
  local root = string.match(owner, '^([^/]*)/')
  if root then found[3] = '/' .. root end
  return found
end

local function may(asked, owner)
  if asked.everybody then return true end
  for _, one in ipairs(asked.exact) do
    if one == owner then return true end
  end
  return asked.prefix ~= '' and string.sub(owner, 1, #asked.prefix) == asked.prefix
end

local function is_there(kind, id) return redis.call('EXISTS', key(kind, id)) == 1 end

-- A consent that came with a voice does not stay long without any.
local function let_wait(consent_id)
  local kind, given = unpack(redis.call('HMGET', key('consent', consent_id), 'kind', 'given'))
  if kind and FORGETTABLE[kind] and redis.call('SCARD', key('made', consent_id)) == 0 then
    redis.call('ZADD', PREFIX .. 'waiting', given, consent_id)
    return true
  end
  return false
end

local function unfile_voice(id)
  local owner, name, consents =
    unpack(redis.call('HMGET', key('stub', id), 'owner', 'name', 'consent_id'))
  if not owner then return nil end
  for _, scope in ipairs(scopes(owner)) do
    redis.call('ZREM', key('voices', scope), id)
    redis.call('SREM', key('named', scope .. ':' .. name), id)
  end
  redis.call('ZREM', PREFIX .. 'expiring', id)
  for _, consent_id in ipairs(words(consents)) do
    redis.call('SREM', key('made', consent_id), id)
    let_wait(consent_id)
  end
  return consents
end

local function file_voice(id, voice)
  redis.call('HSET', key('stub', id), 'owner', voice.owner, 'name', voice.name,
    'consent_id', voice.consent_id, 'created', voice.created)
  for _, scope in ipairs(scopes(voice.owner)) do
    redis.call('ZADD', key('voices', scope), voice.created, id)
    redis.call('SADD', key('named', scope .. ':' .. voice.name), id)
  end
  if voice.expires then redis.call('ZADD', PREFIX .. 'expiring', voice.expires, id) end
  for _, consent_id in ipairs(words(voice.consent_id)) do
    redis.call('SADD', key('made', consent_id), id)
    redis.call('ZREM', PREFIX .. 'waiting', consent_id)
  end
end

-- Gives the consents it was made under, or nothing where it is not there.
local function drop_voice(id)
  local consents = unfile_voice(id)
  redis.call('ZREM', PREFIX .. 'references', id)
  redis.call('DEL', key('stub', id), key('voice', id), key('reference', id))
  return consents
end

local function tell(id, most)
  redis.call('XADD', PREFIX .. 'deletions', 'MAXLEN', '~', most, '*', 'voice_id', id)
end

local function unfile_consent(id)
  local owner, origin = unpack(redis.call('HMGET', key('consent', id), 'owner', 'origin'))
  if not owner then return end
  for _, scope in ipairs(scopes(owner)) do redis.call('ZREM', key('consents', scope), id) end
  for _, one in ipairs(words(origin)) do redis.call('SREM', key('copies', one), id) end
end

local function drop_consent(id)
  unfile_consent(id)
  redis.call('ZREM', PREFIX .. 'waiting', id)
  redis.call('DEL', key('consent', id))
end

local function keep_consent(consent)
  local id = consent.consent_id
  unfile_consent(id)
  redis.call('HSET', key('consent', id), 'owner', consent.owner, 'name', consent.name,
    'about', consent.about, 'kind', consent.kind, 'given', consent.given, 'origin', consent.origin)
  for _, scope in ipairs(scopes(consent.owner)) do
    redis.call('ZADD', key('consents', scope), consent.given, id)
  end
  for _, one in ipairs(words(consent.origin)) do redis.call('SADD', key('copies', one), id) end
  let_wait(id)
end

local function keep_voice(voice)
  local id, at = voice.voice_id, key('voice', voice.voice_id)
  unfile_voice(id)
  file_voice(id, voice)
  redis.call('DEL', at)
  redis.call('HSET', at, 'owner', voice.owner, 'name', voice.name, 'about', voice.about,
    'voice', voice.voice)
  if voice.embedding then redis.call('HSET', at, 'embedding', voice.embedding) end
  for _, one in ipairs({at, key('reference', id)}) do
    if voice.expires_ms then
      redis.call('PEXPIREAT', one, voice.expires_ms)
    else
      redis.call('PERSIST', one)
    end
  end
end

local function why_not(voice, replace)
  if not replace and is_there('voice', voice.voice_id) then return 'exists' end
end

local work = {}

function work.put(asked)
  if asked.consented and not is_there('consent', asked.voice.consent_id) then return 'withdrawn' end
  local refusal = why_not(asked.voice, asked.replace)
  if refusal then return refusal end
  keep_voice(asked.voice)
  return 'done'
end

function work.take_in(asked)
  for _, one in ipairs(words(asked.consent.origin)) do
    if redis.call('SISMEMBER', PREFIX .. 'withdrawn', one) == 1 then return 'withdrawn' end
  end
  local refusal = why_not(asked.voice, asked.replace)
  if refusal then return refusal end
  keep_consent(asked.consent)
  keep_voice(asked.voice)
  return 'done'
end

function work.delete(asked)
  local consents = drop_voice(asked.voice_id)
  if not consents then return 'none' end
  for _, consent_id in ipairs(words(consents)) do
    if let_wait(consent_id) then drop_consent(consent_id) end
  end
  tell(asked.voice_id, asked.most)
  return 'done'
end

-- Files a voice anew after one of its texts has changed.
local function change_voice(id, field, value)
  local stub = redis.call('HMGET', key('stub', id), 'owner', 'name', 'consent_id', 'created')
  local voice = {owner = stub[1], name = stub[2], consent_id = stub[3], created = stub[4]}
  voice.expires = redis.call('ZSCORE', PREFIX .. 'expiring', id)
  unfile_voice(id)
  voice[field] = value
  file_voice(id, voice)
  redis.call('HSET', key('voice', id), field, value)
end

function work.rename(asked)
  local owner = redis.call('HGET', key('voice', asked.voice_id), 'owner')
  if not owner or not may(asked, owner) then return 'none' end
  change_voice(asked.voice_id, 'name', asked.name)
  return 'done'
end

function work.give(asked)
  if not is_there('voice', asked.voice_id) then return 'none' end
  local consent_id = redis.call('HGET', key('stub', asked.voice_id), 'consent_id')
  change_voice(asked.voice_id, 'owner', asked.owner)
  if is_there('consent', consent_id) then
    local given, origin =
      unpack(redis.call('HMGET', key('consent', consent_id), 'given', 'origin'))
    unfile_consent(consent_id)
    redis.call('HSET', key('consent', consent_id), 'owner', asked.owner)
    for _, scope in ipairs(scopes(asked.owner)) do
      redis.call('ZADD', key('consents', scope), given, consent_id)
    end
    for _, one in ipairs(words(origin)) do redis.call('SADD', key('copies', one), consent_id) end
  end
  return 'done'
end

function work.purge(asked)
  local ended = redis.call('ZRANGEBYSCORE', PREFIX .. 'expiring', '-inf', asked.now,
    'LIMIT', 0, asked.most)
  for _, id in ipairs(ended) do drop_voice(id) end
  local unused = redis.call('ZRANGEBYSCORE', PREFIX .. 'waiting', '-inf', asked.unused,
    'LIMIT', 0, asked.most)
  for _, id in ipairs(unused) do drop_consent(id) end
  return {#ended, #unused}
end

function work.put_consent(asked)
  keep_consent(asked.consent)
  return 'done'
end

function work.rename_consent(asked)
  local owner = redis.call('HGET', key('consent', asked.consent_id), 'owner')
  if not owner or not may(asked, owner) then return 'none' end
  redis.call('HSET', key('consent', asked.consent_id), 'name', asked.name)
  return 'done'
end

-- A consent, and those that came of it by export and import, over any number of steps.
local function ended_with(consent_id)
  local ended, seen = {consent_id}, {[consent_id] = true}
  local at = 1
  while ended[at] do
    for _, copy in ipairs(redis.call('SMEMBERS', key('copies', ended[at]))) do
      if not seen[copy] then
        seen[copy] = true
        ended[#ended + 1] = copy
      end
    end
    at = at + 1
  end
  return ended
end

function work.withdraw(asked)
  -- The file it came from would bring it back, unless that consent is on record here itself.
  local origin = redis.call('HGET', key('consent', asked.consent_id), 'origin')
  for _, one in ipairs(words(origin or '')) do
    if not is_there('consent', one) then redis.call('SADD', PREFIX .. 'withdrawn', one) end
  end
  local gone = {}
  for _, consent_id in ipairs(ended_with(asked.consent_id)) do
    redis.call('SADD', PREFIX .. 'withdrawn', consent_id)
    drop_consent(consent_id)
    for _, id in ipairs(redis.call('SMEMBERS', key('made', consent_id))) do
      local voice = redis.call('HGET', key('voice', id), 'voice')
      gone[#gone + 1] = id
      gone[#gone + 1] = voice or ''
      drop_voice(id)
      tell(id, asked.most)
    end
  end
  return gone
end

function work.put_reference(asked)
  local at = key('reference', asked.voice_id)
  local ends_ms = redis.call('PTTL', key('voice', asked.voice_id))
  if ends_ms == -2 then return 'none' end
  local before = redis.call('HGET', at, 'sealed') or ''
  if string.sub(before, 1, #asked.instead_of) ~= asked.instead_of then return 'other' end
  redis.call('HSET', at, 'key_id', asked.key_id, 'sealed', asked.sealed)
  if ends_ms >= 0 then redis.call('PEXPIRE', at, ends_ms) else redis.call('PERSIST', at) end
  redis.call('ZADD', PREFIX .. 'references', 0, asked.voice_id)
  return 'done'
end

function work.drop_reference(asked)
  redis.call('ZREM', PREFIX .. 'references', asked.voice_id)
  return redis.call('DEL', key('reference', asked.voice_id)) == 1 and 'done' or 'none'
end

function work.serve(asked)
  local at, now = PREFIX .. 'serving', tonumber(redis.call('TIME')[1])
  redis.call('ZADD', at, now + asked.for_s, asked.mark)
  redis.call('ZREMRANGEBYSCORE', at, '-inf', now)
  redis.call('EXPIRE', at, 3600)
  return 'done'
end

local asked = cmsgpack.unpack(ARGV[2])
for at = 3, #ARGV, 2 do
  local outer, inner = string.match(ARGV[at], '^(.-)%.(.*)$')
  if outer ~= '' then asked[outer][inner] = ARGV[at + 1] else asked[inner] = ARGV[at + 1] end
end

local now = redis.call('TIME')
if tonumber(now[1]) * 1000000 + tonumber(now[2]) > asked.deadline_us then return 'late' end

local FREES = {delete = true, purge = true, withdraw = true}

-- A full Redis refuses the first write of a script unless it frees memory, and none after that.
if FREES[ARGV[1]] then redis.call('DEL', PREFIX .. 'nothing') end
return work[ARGV[1]](asked)
