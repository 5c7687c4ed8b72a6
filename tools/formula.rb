# Run talos-gpu.rb without Homebrew: the methods of its Formula that the file calls, on a staged copy and an empty prefix.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

RELEASE, PYTHON = ARGV
# As Homebrew detects it: Library/Homebrew/version.rb of Homebrew/brew.
VERSION_OF_URL = %r{/releases/download/(?:[rvV]_?)?(\d+(?:\.\d+)+)/}

class Pathname
  def install(name) = FileUtils.mkpath(self) && FileUtils.cp(name, self)
  alias write_bytes write
  # Homebrew's cleaner makes every file executable that begins with #!.
  def write(text) = FileUtils.mkpath(dirname) && write_bytes(text) && text.start_with?("#!") && chmod(0o755)
end

class Formula
  FIELDS = {}
  %i[desc homepage url sha256 license depends_on].each { |name| define_singleton_method(name) { |value| FIELDS[name] = value } }
  def self.test(&block) = define_method(:try, &block)
  def self.[](name) = Struct.new(:opt_bin).new(Pathname(PREFIX)/name)

  def libexec = Pathname(PREFIX)/"libexec"
  def bin = Pathname(PREFIX)/"bin"
  def testpath = Pathname(PREFIX)/"test"
  def version = FIELDS[:url][VERSION_OF_URL, 1]

  def shell_output(command, status = 0)
    output, done = Open3.capture2e({ "PATH" => "/usr/bin:/bin", "HOME" => PREFIX }, command, chdir: testpath.to_s)
    raise "#{command} ended with #{done.exitstatus}: #{output}" unless done.exitstatus == status

    output
  end

  def assert_match(text, output) = output.include?(text) || raise("#{text} is not in: #{output}")
end

PREFIX = Dir.mktmpdir
begin
  load File.join(RELEASE, "talos-gpu.rb")
  name = File.basename(Formula::FIELDS[:url])
  file = File.join(RELEASE, name)
  raise "sha256 is not that of #{name}" unless Digest::SHA256.file(file).hexdigest == Formula::FIELDS[:sha256]

  formula = TalosGpu.new
  python = Formula[Formula::FIELDS[:depends_on]].opt_bin
  python.mkpath
  File.symlink(PYTHON, python/"python3.13")
  Dir.mktmpdir do |stage|
    FileUtils.cp(file, stage)
    Dir.chdir(stage) { formula.install }
  end
  formula.testpath.mkpath
  formula.try
ensure
  FileUtils.rm_rf(PREFIX)
end
