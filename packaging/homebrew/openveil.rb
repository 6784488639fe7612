# A formula for a tap. Take the checksum of the source archive.
class Openveil < Formula
  desc "Publish tables of people without disclosing anyone's sensitive value"
  homepage "https://github.com/openveil/openveil"
  url "https://github.com/openveil/openveil/archive/refs/tags/v2.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["Apache-2.0", "MIT"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/openveil")
    system "cargo", "run", "--locked", "-p", "openveil-cli", "--features", "serve", "--example", "manual", "--", "manual"
    man1.install Dir["manual/man/*.1"]
    bash_completion.install "manual/completions/openveil.bash" => "openveil"
    zsh_completion.install "manual/completions/_openveil"
    fish_completion.install "manual/completions/openveil.fish"
    pkgshare.install "examples/census"
  end

  test do
    cp_r pkgshare/"census", testpath
    system bin/"openveil", "publish", testpath/"census/policy.toml"
    assert_path_exists testpath/"census/out/release/manifest.json"
  end
end
