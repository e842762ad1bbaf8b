-- The server and what it says beyond Neovim's own functions.

local M = {}

-- What is set in `vim.g.tilewright`.
local function set(name, default)
  local value = (vim.g.tilewright or {})[name]
  if value == nil then
    return default
  end
  return value
end

-- The program.
function M.program()
  return set("server", "tilewright")
end

local function say(message, level)
  vim.notify("tilewright: " .. message, level or vim.log.levels.WARN)
end

-- The client of a buffer, if there is one.
function M.client(buffer)
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  for _, client in pairs(all()) do
    if client.name == "tilewright" and vim.lsp.buf_is_attached(buffer, client.id) then
      return client
    end
  end
end

-- Asks the server something about a buffer. `take` gets the answer, or nothing and what is wrong.
function M.request(buffer, method, params, take)
  local client = M.client(buffer)
  if not client then
    return take(nil, "the server does not run for this buffer")
  end
  local function answered(problem, result)
    take(result, problem and problem.message)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, answered, buffer)
  else
    client.request(method, params, answered, buffer)
  end
end

-- Shows the lenses of a buffer, and keeps them current.
local function show_lenses(buffer)
  if vim.lsp.codelens.enable then
    return vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "CursorHold", "InsertLeave" }, {
    group = vim.api.nvim_create_augroup("tilewright-lenses-" .. buffer, {}),
    buffer = buffer,
    callback = function()
      vim.lsp.codelens.refresh()
    end,
  })
  vim.lsp.codelens.refresh()
end

-- The folder whose settings hold for a buffer: that of its repository, or its own.
local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.fs and vim.fs.find then
    local found = vim.fs.find(".git", { upward = true, path = vim.fs.dirname(name) })[1]
    if found then
      return vim.fs.dirname(found)
    end
  end
  return vim.fn.fnamemodify(name, ":p:h")
end

-- Starts the server for a buffer, or attaches the one that runs.
function M.start(buffer)
  local kind = vim.bo[buffer].buftype
  -- A view of a stage has no file; bytecode is shown in a buffer that is not written.
  if kind ~= "" and kind ~= "nowrite" then
    return
  end
  if vim.fn.executable(M.program()) == 0 then
    return say("`" .. M.program() .. "` is not on PATH; vim.g.tilewright.server may name it")
  end
  local settings = set("settings", {})
  local config = {
    name = "tilewright",
    cmd = { M.program(), "lsp" },
    root_dir = root_of(buffer),
    init_options = next(settings) and settings or vim.empty_dict(),
    on_attach = function(_, attached)
      if set("lenses", true) then
        show_lenses(attached)
      end
    end,
  }
  if vim.lsp.start then
    return vim.lsp.start(config)
  end
  -- Neovim 0.7 has one server for all folders.
  M.only = M.only or vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, M.only)
end

-- Fills a buffer with the text of bytecode.
function M.disassemble(buffer, file)
  local text = vim.fn.systemlist({ M.program(), "disasm", file })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text)
  vim.bo[buffer].modified = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].buftype = "nowrite"
  vim.bo[buffer].filetype = "cuda_tile"
end

-- Shows the explanation of a code, or of the first problem in the cursor's line.
function M.explain(code)
  local buffer = vim.api.nvim_get_current_buf()
  if code == "" then
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    for _, problem in ipairs(vim.diagnostic.get(buffer, { lnum = line })) do
      code = problem.source == "tilewright" and problem.code or code
    end
  end
  if code == "" then
    return say("there is no problem in this line")
  end
  M.request(buffer, "tilewright/explain", { code = code }, function(text, problem)
    if problem then
      return say(problem)
    end
    vim.lsp.util.open_floating_preview(vim.split(vim.trim(text), "\n"), "markdown", { max_width = 100 })
  end)
end

M.say = say

return M
